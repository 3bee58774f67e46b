import { Budget } from '../../concurrency/budget.ts'

/** Records of a portion, and the time that storing it should take. */
const FIRST_RECORDS = 500
const FEWEST_RECORDS = 100
const MOST_RECORDS = 10_000
const BESIDE_LIVE_MILLISECONDS = 15
const ALONE_MILLISECONDS = 100
/** While one portion is stored the next one is prepared. */
const PORTIONS_AT_ONCE = 2
const LIVE_MILLISECONDS = 60_000

/** Defaults of `BackfillOptions`. */
const OLD_MILLISECONDS = 15 * 60_000
const MANY_RECORDS = 500

type BackfillOptions = {
  /** Records of which the newest is older than this are backfill. */
  oldMilliseconds?: number
  /** More records than this at once are backfill. */
  manyRecords?: number
  /** Whether live records come in: portions are small then. */
  isBesideLive?(): boolean
  /** A monotonic clock in milliseconds. */
  clock?(): number
}

/**
 * Stores live records first: backfill is stored in small portions, a limited number at a time.
 *
 * Writes of one source keep their order: a live write waits for the backfill of its sources. Writes
 * of different sources run side by side, so no serial queue orders them.
 */
export class Backfill {
  readonly #oldMilliseconds: number
  readonly #manyRecords: number
  readonly #isBesideLive: () => boolean
  readonly #clock: () => number
  /** Records of backfill that are stored at a time. */
  readonly #budget = new Budget(() => PORTIONS_AT_ONCE * this.#records)
  /** The last write of each source, for which later ones of the source wait. */
  readonly #last = new Map<string, Promise<unknown>>()
  #records = FIRST_RECORDS
  #liveAt = -Infinity

  constructor(options: BackfillOptions = {}) {
    const { oldMilliseconds = OLD_MILLISECONDS, manyRecords = MANY_RECORDS } = options
    const { isBesideLive, clock = () => performance.now() } = options
    this.#oldMilliseconds = oldMilliseconds
    this.#manyRecords = manyRecords
    this.#clock = clock
    this.#isBesideLive = isBesideLive ?? (() => this.#clock() - this.#liveAt < LIVE_MILLISECONDS)
  }

  /** Whether rows are backfill, by their number and age. */
  includes(rows: readonly { time: number }[], now: number): boolean {
    if (rows.length > this.#manyRecords) return true
    return rows.length > 0 && rows.every(({ time }) => time < now - this.#oldMilliseconds)
  }

  /** Stores live records at once, or after the backfill of their sources. */
  live<Result>(sources: readonly string[], store: () => Promise<Result>): Promise<Result> {
    this.#liveAt = this.#clock()
    const before = this.#waitFor(sources)
    if (before.length === 0) return store()
    return this.#follow(sources, before, store)
  }

  /** Stores rows as backfill in one write. */
  whole<Result>(
    sources: readonly string[],
    rows: number,
    store: () => Promise<Result>,
  ): Promise<Result> {
    return this.#follow(sources, this.#waitFor(sources), () => this.#admit(rows, store))
  }

  /** Stores rows as backfill in portions, one after the other; returns the result of each. */
  inPortions<Row, Result>(
    sources: readonly string[],
    rows: readonly Row[],
    store: (portion: readonly Row[], isLast: boolean) => Promise<Result>,
  ): Promise<Result[]> {
    return this.#follow(sources, this.#waitFor(sources), async () => {
      const results: Result[] = []
      let at = 0
      do {
        const portion = rows.slice(at, at + this.#records)
        at += portion.length
        results.push(await this.#admit(portion.length, () => store(portion, at >= rows.length)))
      } while (at < rows.length)
      return results
    })
  }

  #waitFor(sources: readonly string[]): Promise<unknown>[] {
    return [...new Set(sources.flatMap((source) => this.#last.get(source) ?? []))]
  }

  #follow<Result>(
    sources: readonly string[],
    before: readonly Promise<unknown>[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const done = before.length === 0 ? work() : Promise.all(before).then(work)
    const ended = done.then(
      () => undefined,
      () => undefined,
    )
    for (const source of sources) this.#last.set(source, ended)
    void ended.then(() => {
      for (const source of sources) if (this.#last.get(source) === ended) this.#last.delete(source)
    })
    return done
  }

  async #admit<Result>(records: number, work: () => Promise<Result>): Promise<Result> {
    if (!this.#budget.tryTake(records)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#budget.take(records, resolve)
      await promise
    }
    const began = this.#clock()
    try {
      return await work()
    } finally {
      this.#adapt(records, this.#clock() - began)
      this.#budget.release(records)
    }
  }

  /** Adapts the size of portions to the time that they should take. */
  #adapt(records: number, milliseconds: number): void {
    const wanted = this.#isBesideLive() ? BESIDE_LIVE_MILLISECONDS : ALONE_MILLISECONDS
    if (milliseconds > wanted)
      this.#records = Math.max(FEWEST_RECORDS, Math.floor(this.#records * 0.7))
    else if (milliseconds < wanted / 2 && records >= this.#records)
      this.#records = Math.min(MOST_RECORDS, Math.ceil(this.#records * 1.3))
  }
}
