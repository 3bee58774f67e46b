import type { Zone } from '../domain/local-time.ts'
import { RefusedError } from '../domain/refused-error.ts'

const LAST_MILLISECOND = 999

type WindowText = { startTime?: string | undefined; endTime?: string | undefined }

/**
 * Reads a window of whole seconds as instants, both inclusive; an end left out is open.
 *
 * Records keep milliseconds inside and are served by the second, so the last second counts whole.
 */
export function readWindow(
  { startTime, endTime }: WindowText,
  zone: Zone,
): { from: number; to: number } {
  const from =
    startTime === undefined ? Number.MIN_SAFE_INTEGER : readMoment('startTime', startTime, zone)
  const to =
    endTime === undefined
      ? Number.MAX_SAFE_INTEGER
      : readMoment('endTime', endTime, zone) + LAST_MILLISECOND
  if (from > to)
    throw new RefusedError('invalid', 'the query parameter "startTime" lies after "endTime"')
  return { from, to }
}

/** Reads a local date-time string that has the right shape already. */
export function readMoment(parameter: string, text: string, zone: Zone): number {
  const instant = zone.toInstant(text)
  if (instant === undefined)
    throw new RefusedError(
      'invalid',
      `the parameter "${parameter}" must be a date and time that exists, YYYY-MM-DD HH:mm:ss`,
    )
  return instant
}
