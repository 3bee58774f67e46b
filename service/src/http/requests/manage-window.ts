import { parseInstant, zone as zoneOf, type Zone } from '../../domain/time/local-time.ts'
import { hasOffset } from '../../domain/time/offset-text.ts'
import { LAST_MILLISECOND } from '../../domain/time/wall-clock.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { WindowText } from './window.ts'

/** Refuses times that do not exist and a start after the end, as far as no zone decides it. */
export function checkManageWindow({ startTime, endTime }: WindowText): void {
  const start = startTime === undefined ? undefined : checkManageMoment('startTime', startTime)
  const end = endTime === undefined ? undefined : checkManageMoment('endTime', endTime)
  if (start === undefined || end === undefined || start.hasOffset !== end.hasOffset) return
  if (start.instant > end.instant) throw reversed()
}

/** Refuses a time that does not exist; a local time is read as if it were UTC. */
export function checkManageMoment(
  parameter: string,
  text: string,
): { instant: number; hasOffset: boolean } {
  const instant = parseInstant(text, zoneOf('UTC'))
  if (instant !== undefined) return { instant, hasOffset: hasOffset(text) }
  throw new RefusedError(
    'invalid',
    `the parameter "${parameter}" must be a date and time that exists, YYYY-MM-DD HH:mm:ss or an instant such as 2026-01-31T08:30:00+08:00`,
  )
}

/**
 * The first and last instant of a window that `checkManageWindow` has passed; an end that is left out
 * is open.
 *
 * The window includes the whole last second, but ends at a time with a fraction of a second.
 */
export function toManageInstants(
  { startTime, endTime }: WindowText,
  zone: Zone,
): { from: number; to: number } {
  const from =
    startTime === undefined
      ? Number.MIN_SAFE_INTEGER
      : (parseInstant(startTime, zone) ?? Number.MAX_SAFE_INTEGER)
  const to =
    endTime === undefined
      ? Number.MAX_SAFE_INTEGER
      : (parseInstant(endTime, zone) ?? Number.MIN_SAFE_INTEGER) + rest(endTime)
  // Of two local times the start may lie in an hour that clocks skip, and so after the end.
  if (from > to && hasOffset(startTime) !== hasOffset(endTime)) throw reversed()
  return { from, to }
}

/**
 * The window of a list of newest records; without `endTime` it ends at the horizon, since early
 * records do not count as newest.
 */
export function toNewest(
  window: WindowText,
  zone: Zone,
  horizon: number,
): { from: number; to: number } {
  const { from, to } = toManageInstants(window, zone)
  return { from, to: window.endTime === undefined ? Math.min(to, horizon) : to }
}

const rest = (text: string): number => (text.includes('.') ? 0 : LAST_MILLISECOND)

const reversed = (): RefusedError =>
  new RefusedError('invalid', 'the parameter "startTime" lies after "endTime"')
