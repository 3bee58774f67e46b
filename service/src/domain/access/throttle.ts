import { hash, randomBytes } from 'node:crypto'

export type ThrottleSettings = {
  /** So many failures at once close a key; it gets them back within a minute. */
  limitPerMinute: number
  /** Counters in each of four rows. */
  width?: number
  /** What the places of keys are mixed with, so that nobody can aim at those of others. */
  seed?: Uint8Array
}

const ROWS = 4
const WIDTH = 16_384
const MINUTE = 60_000

/** So many times the limit is the highest level: who goes on waits for up to as many minutes. */
const HIGHEST = 10

/**
 * Counts failures per key in levels that fall steadily, in memory that never grows.
 *
 * A level is kept at one place in each of four rows and is the lowest of the four. Keys may share
 * places, so a level is at times too high, and never too low: no flood of other keys makes one
 * forgotten. `now` is in epoch milliseconds.
 */
export class Throttle {
  readonly #limit: number
  readonly #perMillisecond: number
  readonly #width: number
  readonly #seed: Uint8Array
  readonly #levels: Float64Array
  readonly #times: Float64Array

  constructor({ limitPerMinute, width = WIDTH, seed = randomBytes(16) }: ThrottleSettings) {
    this.#limit = limitPerMinute
    this.#perMillisecond = limitPerMinute / MINUTE
    this.#width = width
    this.#seed = seed
    this.#levels = new Float64Array(ROWS * width)
    this.#times = new Float64Array(ROWS * width)
  }

  /** Whole seconds until the key is below its limit; 0 when it is. */
  retryAfterSeconds(key: string, now: number): number {
    const over = this.#level(this.#places(key), now) - this.#limit + 1
    return over <= 0 ? 0 : Math.ceil(over / this.#perMillisecond / 1000)
  }

  fail(key: string, now: number): void {
    const places = this.#places(key)
    const next = Math.min(this.#level(places, now) + 1, this.#limit * HIGHEST)
    for (const place of places) {
      // Only as high as this key needs: so those that share a place are raised as little as can be.
      this.#levels[place] = Math.max(this.#levelAt(place, now), next)
      this.#times[place] = now
    }
  }

  #level(places: readonly number[], now: number): number {
    return Math.min(...places.map((place) => this.#levelAt(place, now)))
  }

  /** A clock that was set back lets nothing fall, and holds nothing up. */
  #levelAt(place: number, now: number): number {
    const since = now - this.#times[place]!
    if (since < 0) this.#times[place] = now
    return Math.max(0, this.#levels[place]! - Math.max(0, since) * this.#perMillisecond)
  }

  #places(key: string): number[] {
    const bytes = hash('sha256', Buffer.concat([this.#seed, Buffer.from(key)]), 'buffer')
    return Array.from(
      { length: ROWS },
      (_, row) => row * this.#width + (bytes.readUInt32LE(row * 4) % this.#width),
    )
  }
}
