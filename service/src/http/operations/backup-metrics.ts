import type { Metric } from 'prom-client'
import type { ScheduledBackupState } from '../../backup/scheduled-backup-state.ts'
import { makeGauges } from './plain-metrics.ts'

export type ReadScheduledBackup = () => ScheduledBackupState | undefined

const HOUR_SECONDS = 3_600

/** Metrics of the backups that the service makes by itself; without values where it makes none. */
export async function scheduledBackupMetrics(read: ReadScheduledBackup): Promise<Metric[]> {
  const { Counter } = await import('prom-client')
  const readLast = () => read()?.last
  const gauges = await makeGauges([
    [
      'plumbline_backup_interval_seconds',
      'Seconds between two backups to backup.to.',
      () => {
        const state = read()
        return state && state.everyHours * HOUR_SECONDS
      },
    ],
    [
      'plumbline_backup_last_success_timestamp_seconds',
      'The instant of the data in the newest backup to backup.to, in seconds since 1970.',
      () => {
        const last = readLast()
        return last && Date.parse(last.instant) / 1000
      },
    ],
    [
      'plumbline_backup_last_duration_seconds',
      'How long the newest backup to backup.to took.',
      () => readLast()?.seconds,
    ],
    [
      'plumbline_backup_last_written_bytes',
      'Bytes that were written for the newest backup to backup.to.',
      () => readLast()?.bytes,
    ],
    [
      'plumbline_backup_last_verification_timestamp_seconds',
      'When what is stored in backup.to was last read and compared with its checksums, in seconds since 1970.',
      () => {
        const verification = read()?.verification
        return verification && Date.parse(verification.at) / 1000
      },
    ],
    [
      'plumbline_backup_damaged',
      '1 where the last verification of backup.to has found damage, otherwise 0.',
      () => {
        const verification = read()?.verification
        return verification && (verification.damage.length > 0 ? 1 : 0)
      },
    ],
  ])
  const failures = new Counter({
    name: 'plumbline_backup_failures_total',
    help: 'Attempts to back up to backup.to that failed or found damage since the start.',
    registers: [],
    collect() {
      this.reset()
      this.inc(read()?.failures ?? 0)
    },
  })
  return [...gauges, failures]
}
