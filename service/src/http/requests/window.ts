import { zone as zoneOf, type Zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'

const LAST_MILLISECOND = 999

export type WindowText = { startTime?: string | undefined; endTime?: string | undefined }

/** Refuses times that no calendar has and a start after the end, before anything is looked up. */
export function checkWindow({ startTime, endTime }: WindowText): void {
  if (startTime !== undefined) checkMoment('startTime', startTime)
  if (endTime !== undefined) checkMoment('endTime', endTime)
  // Local times of one zone are ordered as their texts are.
  if (startTime !== undefined && endTime !== undefined && startTime > endTime)
    throw new RefusedError('invalid', 'the parameter "startTime" lies after "endTime"')
}

/** Refuses a date and time that no calendar has, such as 31 February. */
export function checkMoment(parameter: string, text: string): void {
  if (zoneOf('UTC').toInstant(text) === undefined)
    throw new RefusedError(
      'invalid',
      `the parameter "${parameter}" must be a date and time that exists, YYYY-MM-DD HH:mm:ss`,
    )
}

/**
 * The instants of a window that was checked, both inclusive; an end left out is open.
 *
 * Records keep milliseconds inside and are served by the second, so the last second counts whole.
 */
export function toInstants(
  { startTime, endTime }: WindowText,
  zone: Zone,
): { from: number; to: number } {
  return {
    from:
      startTime === undefined
        ? Number.MIN_SAFE_INTEGER
        : (zone.toInstant(startTime) ?? Number.MAX_SAFE_INTEGER),
    to:
      endTime === undefined
        ? Number.MAX_SAFE_INTEGER
        : (zone.toInstant(endTime) ?? Number.MIN_SAFE_INTEGER) + LAST_MILLISECOND,
  }
}

/**
 * The same for a list of the newest, which without an end of its own ends at the horizon: what lies
 * ahead of the clock hides nothing.
 */
export function toNewest(
  window: WindowText,
  zone: Zone,
  horizon: number,
): { from: number; to: number } {
  const { from, to } = toInstants(window, zone)
  return { from, to: window.endTime === undefined ? Math.min(to, horizon) : to }
}
