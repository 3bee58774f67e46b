import { zone as zoneOf, type Zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { LAST_MILLISECOND } from '../../domain/time/wall-clock.ts'

export type WindowText = { startTime?: string | undefined; endTime?: string | undefined }

/** Refuses times that do not exist and a start after the end. */
export function checkWindow({ startTime, endTime }: WindowText): void {
  if (startTime !== undefined) checkMoment('startTime', startTime)
  if (endTime !== undefined) checkMoment('endTime', endTime)
  // Texts of local times sort like the times.
  if (startTime !== undefined && endTime !== undefined && startTime > endTime)
    throw new RefusedError('invalid', 'the parameter "startTime" lies after "endTime"')
}

/** Refuses a date and time that does not exist, such as 31 February. */
export function checkMoment(parameter: string, text: string): void {
  if (zoneOf('UTC').toInstant(text) === undefined)
    throw new RefusedError(
      'invalid',
      `the parameter "${parameter}" must be a date and time that exists, YYYY-MM-DD HH:mm:ss`,
    )
}

/**
 * The first and last instant of a valid window; an end that is left out is open.
 *
 * Times of requests have no milliseconds, so the window includes the whole last second.
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
