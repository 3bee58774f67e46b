export type WaitingAgeOptions = Readonly<{
  /** The last delivery that was there when the process began; its age is unknown. */
  lastBefore: number
  /** Running time in milliseconds. */
  now: number
  /** How long deliveries wait that this process has created. */
  term: number
  /** How long older deliveries wait in this process at least. */
  least: number
}>

/** Instants that are kept within the term. */
const INSTANTS = 100

/**
 * Knows by the running time which deliveries have waited long enough to be given up.
 *
 * Their ids grow, so what was there at an instant is as old as that at least, whatever clock they
 * were written by.
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

  see(last: number, now: number): void {
    this.#seen.push({ at: now, last })
    const old = this.#seen.findLastIndex(({ at }) => now - at >= this.#options.term)
    if (old > 0) this.#seen = this.#seen.slice(old)
  }

  /** The last delivery that may be given up. */
  oldUpTo(now: number): number {
    const { lastBefore, now: began, term, least } = this.#options
    const before = now - began >= Math.min(least, term) ? lastBefore : 0
    const seen = this.#seen.findLast(({ at }) => now - at >= term)
    return Math.max(before, seen?.last ?? 0)
  }
}
