type WaitingAgeOptions = Readonly<{
  /** The last delivery before the process began; its age is unknown. */
  lastBefore: number
  /** Running time in milliseconds. */
  now: number
  /** How long deliveries created by this process wait. */
  term: number
  /** The minimum time that older deliveries wait in this process. */
  least: number
}>

/** The number of instants that are kept within the term. */
const INSTANTS = 100

/**
 * Determines by the running time which deliveries have waited long enough to be given up.
 *
 * Their ids grow, so a delivery that existed at an instant is at least as old as that, by any clock.
 */
export class WaitingAge {
  readonly #options: WaitingAgeOptions
  /** The last delivery at instants of the running time, the oldest first. */
  #seen: { at: number; last: number }[] = []

  constructor(options: WaitingAgeOptions) {
    this.#options = options
  }

  /** Whether it is time to call `see` again. */
  isDue(now: number): boolean {
    const newest = this.#seen.at(-1)
    return newest === undefined || now - newest.at >= this.#options.term / INSTANTS
  }

  /** Records the last delivery at an instant of the running time. */
  see(last: number, now: number): void {
    this.#seen.push({ at: now, last })
    const old = this.#seen.findLastIndex(({ at }) => now - at >= this.#options.term)
    if (old > 0) this.#seen = this.#seen.slice(old)
  }

  /** Returns the last delivery that may be given up. */
  oldUpTo(now: number): number {
    const { lastBefore, now: began, term, least } = this.#options
    const before = now - began >= Math.min(least, term) ? lastBefore : 0
    const seen = this.#seen.findLast(({ at }) => now - at >= term)
    return Math.max(before, seen?.last ?? 0)
  }
}
