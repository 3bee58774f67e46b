import type { RecordKeys, RecordKind, RecordStore, StoredPlace } from '../storage/storage.ts'

/** A place in the data: a source and an instant. */
export type Place = { source: number; time: number }

type SourceState = {
  /** Nothing is stored of the source after this instant, as far as this process knows. */
  last: number
  /** The last write of the source that has begun; undefined where none is under way. */
  tail: Promise<unknown> | undefined
  /** Writes that wait for their turn, or have it. */
  waiting: number
}

/**
 * Tells new records from those that meet a stored one, without a look at the data for the first.
 *
 * What it knows may be wrong where other processes write: a write says what it expects at its places, and
 * a conflict leads to `forget`. Writes that meet something take turns by source, so that each finds what
 * those before it have stored.
 */
export class KnownPlaces {
  readonly #records: Pick<RecordStore, 'findStored' | 'findLast'>
  readonly #sources: Record<RecordKind, Map<number, SourceState>> = {
    theme: new Map(),
    raw: new Map(),
  }

  constructor(records: Pick<RecordStore, 'findStored' | 'findLast'>) {
    this.#records = records
  }

  /** Whether every row lies after all that is stored of its source, and after the rows before it. */
  areNew(kind: RecordKind, rows: readonly Place[]): boolean {
    const sources = this.#sources[kind]
    let state: SourceState | undefined
    let last: number | undefined
    for (const { source, time } of rows) {
      if (source !== last) state = sources.get(source)
      last = source
      if (state === undefined || state.waiting > 0 || time <= state.last) return false
      state.last = time
    }
    return true
  }

  /** Does a write of new records; those that meet them wait for its end. */
  begin<Result>(
    kind: RecordKind,
    rows: readonly Place[],
    write: () => Promise<Result>,
  ): Promise<Result> {
    const result = write()
    this.#follow(this.#statesOf(kind, rows), result)
    return result
  }

  /** Does a write that meets something, once the earlier writes of its sources have ended. */
  async inTurn<Result>(
    kind: RecordKind,
    rows: readonly Place[],
    write: () => Promise<Result>,
  ): Promise<Result> {
    const states = this.#statesOf(kind, rows)
    const before = new Set(Array.from(states, ({ tail }) => tail))
    for (const state of states) state.waiting++
    const result = Promise.all(before).then(write)
    this.#follow(states, result)
    try {
      return await result
    } finally {
      for (const state of states) state.waiting--
    }
  }

  /** What is stored at the places of rows, for work that does not write what it expects there. */
  look(kind: RecordKind, rows: readonly Place[]): Promise<StoredPlace[]> {
    return this.#records.findStored(kind, keysOf(rows))
  }

  /** What is stored at the places of rows, as far as is known: a write has to expect it. */
  async find(kind: RecordKind, rows: readonly Place[]): Promise<StoredPlace[]> {
    const unknown = [...new Set(rows.map(({ source }) => source))].filter(
      (source) => this.#stateOf(kind, source).last === Infinity,
    )
    const last = await this.#records.findLast(kind, unknown)
    for (const [at, source] of unknown.entries())
      this.#stateOf(kind, source).last = last[at] ?? -Infinity
    const met: Place[] = []
    const places = rows.map((row): StoredPlace | undefined => {
      if (row.time > this.#stateOf(kind, row.source).last) return NOTHING
      met.push(row)
      return undefined
    })
    this.#pass(kind, rows)
    const found = (await this.#records.findStored(kind, keysOf(met))).values()
    return places.map((place) => place ?? found.next().value ?? NOTHING)
  }

  /** Forgets what is known of the sources of rows, after another process has written beside it. */
  forget(kind: RecordKind, rows: readonly Place[]): void {
    for (const state of this.#statesOf(kind, rows)) state.last = Infinity
  }

  #pass(kind: RecordKind, rows: readonly Place[]): void {
    for (const { source, time } of rows) {
      const state = this.#stateOf(kind, source)
      if (time > state.last) state.last = time
    }
  }

  #follow(states: ReadonlySet<SourceState>, write: Promise<unknown>): void {
    const ended = write.then(
      () => undefined,
      () => undefined,
    )
    for (const state of states) state.tail = ended
    void ended.then(() => {
      for (const state of states) if (state.tail === ended) state.tail = undefined
    })
  }

  #statesOf(kind: RecordKind, rows: readonly Place[]): Set<SourceState> {
    const states = new Set<SourceState>()
    let last: number | undefined
    for (const { source } of rows) {
      if (source !== last) states.add(this.#stateOf(kind, source))
      last = source
    }
    return states
  }

  /** Of a source that is not known yet anything may be stored. */
  #stateOf(kind: RecordKind, source: number): SourceState {
    return this.#sources[kind].getOrInsertComputed(source, () => {
      return { last: Infinity, tail: undefined, waiting: 0 }
    })
  }
}

const NOTHING: StoredPlace = Object.freeze({ record: null, marks: null })

const keysOf = (rows: readonly Place[]): RecordKeys => ({
  sources: rows.map(({ source }) => source),
  times: rows.map(({ time }) => time),
})
