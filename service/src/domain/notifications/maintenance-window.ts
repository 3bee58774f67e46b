import type { AlarmFacts } from './alarm-facts.ts'

/** A time of work at structures or stations in which notifications of their alarms are not sent. */
export type MaintenanceWindow = Readonly<{
  id: number
  /** Without structures and stations it applies to everything. */
  structures: readonly number[]
  stations: readonly number[]
  /** Both instants are in the window. */
  startsAt: number
  endsAt: number
  reason: string
}>

/**
 * Whether an alarm is in a maintenance window at an instant.
 *
 * An alarm of a sensor is in it if all stations derived from the sensor are.
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
