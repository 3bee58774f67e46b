import type { Zone } from './local-time.ts'
import { DAY_MS } from './wall-clock.ts'

export const HOUR_MS = 3_600_000

/** Local days are counted from 0001-01-01, a Monday: what is made of weeks begins on one. */
const FIRST_DAY = -719_162 * DAY_MS

/** A stretch of time from `start` up to `end`, which belongs to the next one. */
export type Period = Readonly<{ start: number; end: number }>

/**
 * Time cut along the clock of a zone into periods of one width: a divisor of an hour, whole hours
 * that divide a day, or whole days.
 *
 * Periods never overlap and leave no gap. Where clocks change, those of up to an hour are cut: the
 * hour that comes twice is two hours. Longer ones last as long as the clock takes to get past
 * them: a day has 23 or 25 hours.
 */
export class Periods {
  readonly width: number
  readonly #zone: Zone
  readonly #isCut: boolean

  constructor(width: number, zone: Zone) {
    this.width = width
    this.#zone = zone
    this.#isCut = width <= HOUR_MS
  }

  /** The period that an instant lies in. */
  at(instant: number): Period {
    const span = this.#zone.spanAt(instant)
    if (this.#isCut) {
      const start = this.#floor(instant + span.offset) - span.offset
      return { start: Math.max(start, span.start), end: Math.min(start + this.width, span.end) }
    }
    const local = this.#floor(this.#furthest(instant))
    return { start: this.#reach(local), end: this.#reach(local + this.width) }
  }

  /** How many periods a window touches, both its ends included; above `most` only that it is more. */
  count(from: number, to: number, most: number): number {
    if (from > to) return 0
    // A period of a cut clock is never longer than its width.
    if (this.#isCut && (to - from) / this.width > most) return most + 1
    if (!this.#isCut) return this.#places(this.#furthest(from), this.#furthest(to))
    let count = 0
    for (let start = from; start <= to;) {
      const { offset, end } = this.#zone.spanAt(start)
      count += this.#places(start + offset, Math.min(to, end - 1) + offset)
      start = end
    }
    return count
  }

  #places(from: number, to: number): number {
    return (this.#floor(to) - this.#floor(from)) / this.width + 1
  }

  #floor(local: number): number {
    return FIRST_DAY + Math.floor((local - FIRST_DAY) / this.width) * this.width
  }

  /** The latest wall clock read so far: one that is put back does not count until it is past. */
  #furthest(instant: number): number {
    const { offset, localStart } = this.#zone.spanAt(instant)
    return Math.max(instant + offset, localStart - 1)
  }

  /** The instant at which the clock first reads a time or is past it. */
  #reach(local: number): number {
    const { offset, end } = this.#zone.spanAtLocal(local)
    return Math.min(local - offset, end)
  }
}
