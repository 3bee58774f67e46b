import type { Zone } from './local-time.ts'
import { DAY_MS } from './wall-clock.ts'

/**
 * What the time of a record is to the clock of the service: an early record lies further ahead than
 * clocks may differ, and a distant one beyond tomorrow.
 */
export type Timeliness = 'ordinary' | 'early' | 'distant'

/** How far ahead the clock of a source may be where no setting says so, in milliseconds. */
export const CLOCK_TOLERANCE = 300_000

/** The last instant at which a record is not early. */
export const horizonOf = (now: number, tolerance: number): number => now + tolerance

/** Decides for every way in whether a record is early, or too far ahead to be stored. */
export function timelinessOf(time: number, now: number, tolerance: number): Timeliness {
  if (time > now + DAY_MS) return 'distant'
  return time > horizonOf(now, tolerance) ? 'early' : 'ordinary'
}

/** Why a distant record is not stored; both clocks as the structure reads them. */
export const describeDistant = (time: number, now: number, zone: Zone): string =>
  `time ${zone.toLocal(time)} lies more than a day ahead: the service's clock says ${zone.toLocal(now)}`

/** Why a record of a clock that has lost its time is not stored; both clocks as the structure reads them. */
export const describePast = (
  time: number,
  { now, earliest, zone }: { now: number; earliest: number; zone: Zone },
): string =>
  `time ${zone.toLocal(time)} lies before ${zone.toLocal(earliest)} (ingest.earliestTime): the service's clock says ${zone.toLocal(now)}`
