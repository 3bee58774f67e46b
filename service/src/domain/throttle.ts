export type ThrottleSettings = {
  /** So many failures within the window close a key. */
  limit: number
  windowSeconds: number
  /** At most so many keys are remembered; beyond it the one that failed longest ago is dropped. */
  capacity: number
}

/** Counts failures per key in a sliding window. `now` is in epoch milliseconds. */
export class Throttle {
  readonly #limit: number
  readonly #windowMs: number
  readonly #capacity: number
  /** The last failures of each key, oldest first; the keys in order of their last failure. */
  readonly #failures = new Map<string, number[]>()

  constructor({ limit, windowSeconds, capacity }: ThrottleSettings) {
    this.#limit = limit
    this.#windowMs = windowSeconds * 1000
    this.#capacity = capacity
  }

  /** Whole seconds until the key may try again, at most the window; 0 when it may now. */
  retryAfterSeconds(key: string, now: number): number {
    const times = this.#failures.get(key)
    // Only `limit` times are kept, so the oldest of them is the one that must leave the window.
    if (times === undefined || times.length < this.#limit) return 0
    const left = times[0]! + this.#windowMs - now
    return Math.ceil(Math.min(Math.max(left, 0), this.#windowMs) / 1000)
  }

  fail(key: string, now: number): void {
    const times = this.#failures.get(key) ?? []
    times.push(now)
    if (times.length > this.#limit) times.shift()
    this.#failures.delete(key)
    this.#failures.set(key, times)
    if (this.#failures.size <= this.#capacity) return
    for (const oldest of this.#failures.keys()) {
      this.#failures.delete(oldest)
      return
    }
  }

  /** Forgets the failures of a key. */
  succeed(key: string): void {
    this.#failures.delete(key)
  }
}
