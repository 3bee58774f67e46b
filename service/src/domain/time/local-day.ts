import type { Zone } from './local-time.ts'
import { DAY_MS } from './wall-clock.ts'

/** A local day: its first instant and the first instant of the next day. */
type LocalDay = { start: number; until: number }

/**
 * Returns the local day of an instant.
 *
 * Days have no gaps and do not overlap. A day on which clocks change has 23 or 25 hours. When clocks
 * are set back over midnight, the day begins with the first of its two midnights.
 */
export function localDayAt(instant: number, zone: Zone): LocalDay {
  const date = zone.toLocal(instant).slice(0, 10)
  const day = { start: midnight(date, zone), until: midnight(dateAfter(date), zone) }
  return instant < day.until ? day : localDayFrom(day.until, dateAfter(date), zone)
}

/** Yields the local days of a span of time, in order. */
export function* localDays(from: number, until: number, zone: Zone): Generator<LocalDay> {
  if (from >= until) return
  let day = localDayAt(from, zone)
  while (day.start < until) {
    yield day
    day = localDayAt(day.until, zone)
  }
}

/** Returns the first instant of a date, `YYYY-MM-DD`; undefined for other texts. */
export const startOfDate = (date: string, zone: Zone): number | undefined =>
  zone.toInstant(`${date} 00:00:00`)

const localDayFrom = (start: number, date: string, zone: Zone): LocalDay => ({
  start,
  until: midnight(dateAfter(date), zone),
})

const midnight = (date: string, zone: Zone): number => startOfDate(date, zone) ?? NaN

const dateAfter = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
