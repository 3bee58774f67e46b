import { DamageError } from '../errors/damage-error.ts'
import { describe, type DoctorReport } from './doctor.ts'

/** Refuses data in which `plumbline doctor` finds something: names that, and then what to do. */
export function requireUndamaged(report: DoctorReport, remedy: string): void {
  if (report.findings.length + report.stale.length === 0) return
  throw new DamageError([...describe(report), remedy].join('\n'))
}
