import type { Zone } from '../time/local-time.ts'
import { DAY_MS } from '../time/wall-clock.ts'

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

export type Weekday = (typeof WEEKDAYS)[number]

/**
 * Hours of the local clock in which nothing is sent, `22:00` to `06:00`; over midnight where `to`
 * is not after `from`, and all day where they are the same.
 */
export type QuietHours = Readonly<{
  from: string
  to: string
  /** The days on which they begin; left out: every day. */
  days?: readonly Weekday[]
  /** Alarms of these levels are sent nevertheless. */
  exceptLevels?: readonly number[]
}>

/**
 * When the quiet hours end that an instant lies in; undefined when it lies in none.
 *
 * `from` is in them, `to` is not, by the clock on the wall. Until the returned instant it is quiet
 * throughout. It is later than the one that was asked for, at most the next change of clocks, and
 * other quiet hours may follow it.
 */
export function quietUntil(
  periods: readonly QuietHours[],
  level: number,
  instant: number,
  zone: Zone,
): number | undefined {
  const local = zone.toLocal(instant)
  const clock = local.slice(11, 16)
  const today = local.slice(0, 10)
  let end: number | undefined
  for (const { from, to, days, exceptLevels } of periods) {
    if (exceptLevels?.includes(level) === true) continue
    const isOverMidnight = to <= from
    const beganToday = clock >= from && (isOverMidnight || clock < to)
    const beganYesterday = isOverMidnight && clock < to
    for (const [isWithin, firstDay] of [
      [beganToday, today],
      [beganYesterday, dateAfter(today, -1)],
    ] as const) {
      if (!isWithin || days?.includes(weekdayOf(firstDay)) === false) continue
      const lastDay = isOverMidnight ? dateAfter(firstDay, 1) : firstDay
      end = Math.max(end ?? -Infinity, untilClock(`${lastDay}T${to}:00`, instant, zone))
    }
  }
  return end
}

/** When the clock of an instant shows a later time, or when it changes, if that is before. */
function untilClock(local: string, instant: number, zone: Zone): number {
  const { offset, end } = zone.spanAt(instant)
  return Math.min(Date.parse(`${local}Z`) - offset, end)
}

const weekdayOf = (date: string): Weekday => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()]!

const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
