import type { Zone } from './local-time.ts'
import { DAY_MS } from './wall-clock.ts'

export const HOUR_MS = 3_600_000

/** Local days are counted from 0001-01-01, a Monday, so that periods of weeks begin on Mondays. */
const FIRST_DAY = -719_162 * DAY_MS

/** A period from `start` to before `end`. */
type Period = Readonly<{ start: number; end: number }>

/**
 * Periods of equal width of a zone's local time: a divisor of an hour, whole hours that divide a
 * day, or whole days.
 *
 * Periods have no gaps and do not overlap. Those of up to an hour end when clocks change: the hour
 * that occurs twice is two hours. Longer ones last until the clock has passed them: a day has 23 or
 * 25 hours.
 */
export class Periods {
  readonly width: number
  readonly #zone: Zone
  readonly #endsAtChange: boolean

  constructor(width: number, zone: Zone) {
    this.width = width
    this.#zone = zone
    this.#endsAtChange = width <= HOUR_MS
  }

  /** Returns the period of an instant. */
  at(instant: number): Period {
    const span = this.#zone.spanAt(instant)
    if (this.#endsAtChange) {
      const start = this.#floor(instant + span.offset) - span.offset
      return { start: Math.max(start, span.start), end: Math.min(start + this.width, span.end) }
    }
    const local = this.#floor(this.#latestLocal(instant))
    return { start: this.#instantOf(local), end: this.#instantOf(local + this.width) }
  }

  /** Returns the number of periods of a window, both ends included; more than `maximum` if too many. */
  count(from: number, to: number, maximum: number): number {
    if (from > to) return 0
    // A period of up to an hour is never longer than its width.
    if (this.#endsAtChange && (to - from) / this.width > maximum) return maximum + 1
    if (!this.#endsAtChange) return this.#countLocal(this.#latestLocal(from), this.#latestLocal(to))
    let count = 0
    for (let start = from; start <= to;) {
      const { offset, end } = this.#zone.spanAt(start)
      count += this.#countLocal(start + offset, Math.min(to, end - 1) + offset)
      start = end
    }
    return count
  }

  #countLocal(from: number, to: number): number {
    return (this.#floor(to) - this.#floor(from)) / this.width + 1
  }

  #floor(local: number): number {
    return FIRST_DAY + Math.floor((local - FIRST_DAY) / this.width) * this.width
  }

  /** The latest local time so far: a clock that is set back does not count until it has caught up. */
  #latestLocal(instant: number): number {
    const { offset, localStart } = this.#zone.spanAt(instant)
    return Math.max(instant + offset, localStart - 1)
  }

  /** The instant at which the clock first shows a local time or a later one. */
  #instantOf(local: number): number {
    const { offset, end } = this.#zone.spanAtLocal(local)
    return Math.min(local - offset, end)
  }
}
