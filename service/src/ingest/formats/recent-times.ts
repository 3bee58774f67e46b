const REMEMBERED = 10_000

/** Remembers the latest different times of a file, a limited number of them. */
export class RecentTimes {
  readonly #seen = new Set<number>()
  readonly #ring: number[] = []
  readonly #most: number
  #next = 0

  constructor(most = REMEMBERED) {
    this.#most = most
  }

  /** Whether a time is among the latest ones; remembers it. */
  hasSeen(time: number): boolean {
    if (this.#seen.has(time)) return true
    const oldest = this.#ring[this.#next]
    if (oldest !== undefined) this.#seen.delete(oldest)
    this.#seen.add(time)
    this.#ring[this.#next] = time
    this.#next = (this.#next + 1) % this.#most
    return false
  }
}
