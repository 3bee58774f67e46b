import type { Zone } from '../time/local-time.ts'
import { DAY_MS } from '../time/wall-clock.ts'

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

type Weekday = (typeof WEEKDAYS)[number]

/**
 * Hours of local time in which nothing is sent, such as `22:00` to `06:00`. They are over midnight if
 * `to` is not after `from`, and all day if both are equal.
 */
export type QuietHours = Readonly<{
  from: string
  to: string
  /** The days on which they begin, by default every day. */
  days?: readonly Weekday[]
  /** Levels of alarms that are sent in quiet hours. */
  exceptLevels?: readonly number[]
}>

/**
 * Returns the end of the quiet hours at an instant; undefined outside quiet hours.
 *
 * Quiet hours include `from` and exclude `to`, in local time. The returned instant is at most the
 * next change of clocks; other quiet hours may follow it.
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
      const weekday = weekdayOf(firstDay)
      if (!isWithin || days?.some((day) => day === weekday) === false) continue
      const lastDay = isOverMidnight ? dateAfter(firstDay, 1) : firstDay
      end = Math.max(end ?? -Infinity, untilClock(`${lastDay}T${to}:00`, instant, zone))
    }
  }
  return end
}

/** The instant of a later local time, or of the next change of clocks if that is before. */
function untilClock(local: string, instant: number, zone: Zone): number {
  const { offset, end } = zone.spanAt(instant)
  return Math.min(Date.parse(`${local}Z`) - offset, end)
}

const weekdayOf = (date: string): Weekday | undefined =>
  WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()]

const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
