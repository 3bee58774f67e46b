import type { Zone } from './local-time.ts'
import { DAY_MS, formatClock, formatDay } from './wall-clock.ts'

const MINUTE_MS = 60_000

/**
 * Formats an instant with an offset: `2026-10-25T02:30:00.000+02:00`; both in milliseconds.
 *
 * Offsets before the introduction of time zones have seconds, which ISO 8601 cannot express. Offset
 * and local time are truncated to minutes, which keeps the instant.
 */
export function formatOffsetTime(instant: number, offset: number): string {
  const minutes = Math.trunc(offset / MINUTE_MS)
  const sign = minutes < 0 ? '-' : '+'
  const clock = formatClock(Math.abs(minutes) * 60).slice(0, 5)
  return `${formatWall(instant + minutes * MINUTE_MS)}${sign}${clock}`
}

/** Formats an instant in UTC: `2026-10-25T00:30:00.000Z`. */
export const formatUtc = (instant: number): string => `${formatWall(instant)}Z`

/** Formats a local time with the milliseconds that it has: `2026-03-01 08:00:00.250`. */
export function formatMoment(instant: number, zone: Zone): string {
  const milliseconds = instant - Math.floor(instant / 1000) * 1000
  const local = zone.toLocal(instant)
  return milliseconds === 0 ? local : `${local}.${String(milliseconds).padStart(3, '0')}`
}

/** Whether a text of a date and a time has an offset from UTC behind the time of day. */
export const hasOffset = (text = ''): boolean => /[Z+-]/.test(text.slice('YYYY-MM-DD'.length))

function formatWall(wall: number): string {
  const day = Math.floor(wall / DAY_MS)
  const inDay = wall - day * DAY_MS
  const milliseconds = String(inDay % 1000).padStart(3, '0')
  return `${formatDay(day)}T${formatClock(Math.floor(inDay / 1000))}.${milliseconds}`
}
