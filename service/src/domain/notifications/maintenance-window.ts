import type { AlarmFacts } from './alarm-facts.ts'

/** A time in which work is done at some structures or stations and no notifications of their alarms are sent. */
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
 * Whether an alarm is in a maintenance window at an instant.
 *
 * An alarm of a sensor is in it when all the stations are that the sensor feeds.
 */
export function isInMaintenance(
  { structures, stations, startsAt, endsAt }: MaintenanceWindow,
  alarm: Pick<AlarmFacts, 'structure' | 'stations'>,
  instant: number,
): boolean {
  if (instant < startsAt || instant > endsAt) return false
  if (structures.length === 0 && stations.length === 0) return true
  if (structures.includes(alarm.structure)) return true
  return alarm.stations.length > 0 && alarm.stations.every((station) => stations.includes(station))
}
