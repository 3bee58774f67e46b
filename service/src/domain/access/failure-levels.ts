import { hash } from 'node:crypto'

type FailureLevelSettings = {
  /** The failures that close a key; after a minute without failures it is open again. */
  limitPerMinute: number
  /** Counters in each of four rows. */
  width?: number
  /** Random bytes of the hash, so that a caller cannot choose a key with the counters of another. */
  seed: Uint8Array
}

const ROWS = 4
const WIDTH = 16_384
const MINUTE = 60_000

/** The highest level as a multiple of the limit: the maximum minutes until a key is open again. */
const HIGHEST = 10

/**
 * Counts failures per key as levels that fall steadily, in constant memory.
 *
 * A key has one counter in each of four rows, and its level is the lowest of them (a count-min
 * sketch). Keys may share counters, so a level may be too high but never too low: failures of other
 * keys do not displace it. `now` is in epoch milliseconds.
 */
export class FailureLevels {
  readonly #limit: number
  readonly #perMillisecond: number
  readonly #width: number
  readonly #seed: Uint8Array
  readonly #levels: Float64Array
  readonly #times: Float64Array

  constructor({ limitPerMinute, width = WIDTH, seed }: FailureLevelSettings) {
    this.#limit = limitPerMinute
    this.#perMillisecond = limitPerMinute / MINUTE
    this.#width = width
    this.#seed = seed
    this.#levels = new Float64Array(ROWS * width)
    this.#times = new Float64Array(ROWS * width)
  }

  /** Returns the seconds until the key is below its limit, rounded up; 0 if it is. */
  retryAfterSeconds(key: string, now: number): number {
    const over = this.#level(this.#places(key), now) - this.#limit + 1
    return over <= 0 ? 0 : Math.ceil(over / this.#perMillisecond / 1000)
  }

  /** Whether a failure of the key is not forgotten yet. */
  hasFailed(key: string, now: number): boolean {
    return this.#level(this.#places(key), now) > 0
  }

  /** Counts a failure. */
  fail(key: string, now: number): void {
    const places = this.#places(key)
    const next = Math.min(this.#level(places, now) + 1, this.#limit * HIGHEST)
    for (const place of places) {
      // Not higher than this key needs, because other keys may share the counter.
      this.#levels[place] = Math.max(this.#levelAt(place, now), next)
      this.#times[place] = now
    }
  }

  #level(places: readonly number[], now: number): number {
    return Math.min(...places.map((place) => this.#levelAt(place, now)))
  }

  /** After the clock was set back, a level falls from the new time on. */
  #levelAt(place: number, now: number): number {
    const since = now - (this.#times[place] ?? 0)
    if (since < 0) this.#times[place] = now
    return Math.max(0, (this.#levels[place] ?? 0) - Math.max(0, since) * this.#perMillisecond)
  }

  #places(key: string): number[] {
    const bytes = hash('sha256', Buffer.concat([this.#seed, Buffer.from(key)]), 'buffer')
    return Array.from(
      { length: ROWS },
      (_, row) => row * this.#width + (bytes.readUInt32LE(row * 4) % this.#width),
    )
  }
}
