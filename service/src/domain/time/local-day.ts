import type { Zone } from './local-time.ts'
import { DAY_MS } from './wall-clock.ts'

/** A day of a zone's calendar: its first instant, and the first instant of the next one. */
export type LocalDay = { start: number; until: number }

/**
 * The local day an instant lies in.
 *
 * Days follow each other without gap or overlap; one on which clocks change has 23 or 25 hours.
 * Where clocks go back over midnight, the day begins with its first midnight.
 */
export function localDayAt(instant: number, zone: Zone): LocalDay {
  const date = zone.toLocal(instant).slice(0, 10)
  const day = { start: midnight(date, zone), until: midnight(dateAfter(date), zone) }
  return instant < day.until ? day : localDayFrom(day.until, dateAfter(date), zone)
}

/** The local days that a span of time touches, in order. */
export function* localDays(from: number, until: number, zone: Zone): Generator<LocalDay> {
  if (from >= until) return
  let day = localDayAt(from, zone)
  while (day.start < until) {
    yield day
    day = localDayAt(day.until, zone)
  }
}

/** The first instant of a date, `YYYY-MM-DD`; undefined for any other text. */
export const startOfDate = (date: string, zone: Zone): number | undefined =>
  zone.toInstant(`${date} 00:00:00`)

const localDayFrom = (start: number, date: string, zone: Zone): LocalDay => ({
  start,
  until: midnight(dateAfter(date), zone),
})

const midnight = (date: string, zone: Zone): number => startOfDate(date, zone) ?? NaN

const dateAfter = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
