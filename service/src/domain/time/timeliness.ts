import type { Zone } from './local-time.ts'
import { DAY_MS } from './wall-clock.ts'

/**
 * The time of a record compared with the service's clock: an early record is ahead by more than the
 * tolerance, a distant one by more than a day.
 */
type Timeliness = 'ordinary' | 'early' | 'distant'

/** The default tolerance for clocks of devices, in milliseconds. */
export const CLOCK_TOLERANCE = 300_000

/** Returns the last instant at which a record is not early. */
export const horizonOf = (now: number, tolerance: number): number => now + tolerance

/** Returns whether a record is early, or too far ahead to be stored. */
export function timelinessOf(time: number, now: number, tolerance: number): Timeliness {
  if (time > now + DAY_MS) return 'distant'
  return time > horizonOf(now, tolerance) ? 'early' : 'ordinary'
}

/** Describes why a distant record is not stored, in the structure's local time. */
export const describeDistant = (time: number, now: number, zone: Zone): string =>
  `time ${zone.toLocal(time)} is more than one day ahead of the service's clock (${zone.toLocal(now)})`

/** Describes why a record before the earliest time is not stored, in the structure's local time. */
export const describePast = (
  time: number,
  { now, earliest, zone }: { now: number; earliest: number; zone: Zone },
): string =>
  `time ${zone.toLocal(time)} lies before ${zone.toLocal(earliest)} (ingest.earliestTime): the service's clock says ${zone.toLocal(now)}`
