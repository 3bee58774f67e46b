import type { Storage } from '../storage/storage.ts'

/** How long an interval is known, in milliseconds. */
const KNOWN_MILLISECONDS = 600_000

/** Intervals that are found again at once: those of many stations are not due together. */
const RENEWED_AT_ONCE = 500

type Known = { interval: number | undefined; at: number }

/** The usual intervals of stations. Finding one takes longer than finding the newest record. */
export class UsualIntervals {
  readonly #records: Pick<Storage['records'], 'findUsualIntervals'>
  readonly #known = new Map<number, Known>()

  constructor(records: Pick<Storage['records'], 'findUsualIntervals'>) {
    this.#records = records
  }

  /** In milliseconds, in the order of the stations; undefined where too few records are stored. */
  async of(stations: readonly number[], horizon: number): Promise<(number | undefined)[]> {
    const now = performance.now()
    const unknown = stations.filter((id) => !this.#known.has(id))
    const old = stations.filter((id) => now - (this.#known.get(id)?.at ?? now) > KNOWN_MILLISECONDS)
    const wanted = [...unknown, ...old.slice(0, RENEWED_AT_ONCE)]
    const found = await this.#records.findUsualIntervals('theme', wanted, horizon)
    for (const [at, id] of wanted.entries()) {
      const interval = found[at]
      // A station that was filled a moment ago will soon have one.
      if (interval === undefined) this.#known.delete(id)
      else this.#known.set(id, { interval, at: now })
    }
    return stations.map((id) => this.#known.get(id)?.interval)
  }
}
