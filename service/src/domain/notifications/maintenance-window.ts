import type { Subject } from './subject.ts'

/** A time in which work is done at some structures or stations and nobody is told of alarms. */
export type MaintenanceWindow = Readonly<{
  id: number
  /** Of neither: everything. */
  structures: readonly number[]
  stations: readonly number[]
  /** Both are in the window. */
  startsAt: number
  endsAt: number
  reason: string
}>

/**
 * Whether a window is about an alarm at an instant.
 *
 * An alarm of a sensor is when all the stations are in maintenance that the sensor feeds.
 */
export function isInMaintenance(
  { structures, stations, startsAt, endsAt }: MaintenanceWindow,
  subject: Pick<Subject, 'structure' | 'stations'>,
  instant: number,
): boolean {
  if (instant < startsAt || instant > endsAt) return false
  if (structures.length === 0 && stations.length === 0) return true
  if (structures.includes(subject.structure)) return true
  return (
    subject.stations.length > 0 && subject.stations.every((station) => stations.includes(station))
  )
}
