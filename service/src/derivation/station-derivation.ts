import { SerialQueue } from '../concurrency/serial-queue.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { isConflict } from '../errors/conflict-error.ts'
import type { RawRevisions } from '../storage/storage.ts'
import { joinSpans, type Spans } from './affected-spans.ts'
import type { ChangeOption, DerivationParts } from './derivation-parts.ts'
import { sortDerived, type Derived } from './derive.ts'
import { recomputeSpan } from './recompute-span.ts'
import { compareSpan, toDerived, type Comparison } from './span-difference.ts'
import type { Span } from './span.ts'

/** Records that are written at once; a span with more is not divided. */
const RECORDS_AT_ONCE = 10_000

/** Spans that are computed and committed together, when the queue comes to them. */
type GatheredSpans = {
  readonly catalogue: Catalogue
  readonly change: number | undefined
  readonly spans: Map<CatalogueStation, readonly Span[]>
  done: Promise<void>
}

type ComparedSpan = {
  station: CatalogueStation
  span: Span
  basis: RawRevisions
  derived: Derived[]
}

/**
 * Derives the records of stations that depend on several sensors, after raw records have changed.
 *
 * The spans of the last raw record are computed from all raw records, so that the result does not
 * depend on the order in which they were stored, or by which process.
 */
export class StationDerivation {
  readonly #parts: DerivationParts
  readonly #queue = new SerialQueue()
  #waiting: GatheredSpans | undefined

  constructor(parts: DerivationParts) {
    this.#parts = parts
  }

  /** Does work that writes what it computes from raw records, alone among such work of this process. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work)
  }

  /** Derives the records of spans, after raw records are stored or deleted. */
  update(catalogue: Catalogue, spans: Spans, { change }: ChangeOption): Promise<void> {
    const waiting = this.#waiting
    if (waiting?.catalogue === catalogue && waiting.change === change) {
      for (const [station, list] of spans)
        waiting.spans.set(station, joinSpans([...(waiting.spans.get(station) ?? []), ...list]))
      return waiting.done
    }
    const gathered: GatheredSpans = {
      catalogue,
      change,
      spans: new Map(spans),
      done: Promise.resolve(),
    }
    this.#waiting = gathered
    gathered.done = this.#queue.run(async () => {
      if (this.#waiting === gathered) this.#waiting = undefined
      await this.#updateNow(gathered)
    })
    return gathered.done
  }

  /**
   * Compares the records of a span with those derived from raw records, and stores the derived ones if
   * there is a `change`.
   */
  recompute(
    catalogue: Catalogue,
    station: CatalogueStation,
    span: Span,
    { change }: ChangeOption,
  ): Promise<Comparison> {
    return this.#queue.run(async () => {
      if (change === undefined) return compareSpan(this.#parts.data, catalogue, station, span)
      // Records that depend on one sensor are stored with their raw record, outside of this queue.
      return recomputeSpan(
        this.#parts,
        catalogue,
        { station, span },
        { change, allowsOwnWrites: false },
      )
    })
  }

  async #updateNow({ catalogue, change, spans }: GatheredSpans): Promise<void> {
    let compared: ComparedSpan[] = []
    let count = 0
    const write = async () => {
      const together = compared
      compared = []
      count = 0
      await this.#writeTogether(catalogue, together, { change })
    }
    for (const [station, list] of spans)
      for (const span of list) {
        const { basis, differences } = await compareSpan(this.#parts.data, catalogue, station, span)
        if (differences.length === 0) continue
        const derived = differences.map(toDerived)
        compared.push({ station, span, basis, derived })
        count += derived.length
        if (count >= RECORDS_AT_ONCE) await write()
      }
    if (count > 0) await write()
  }

  /** Writes all spans in one commit; after a conflict each span by itself. */
  async #writeTogether(
    catalogue: Catalogue,
    compared: readonly ComparedSpan[],
    { change }: ChangeOption,
  ): Promise<void> {
    const { rows, gone } = sortDerived(compared.flatMap(({ derived }) => derived))
    const basis = { raw: compared.flatMap((one) => one.basis), allowsOwnWrites: true }
    try {
      await this.#parts.commits.records(catalogue, {
        theme: rows,
        deletions: { theme: gone },
        change,
        basis,
      })
    } catch (error) {
      if (!isConflict(error, 'records')) throw error
      for (const { station, span } of compared)
        await recomputeSpan(
          this.#parts,
          catalogue,
          { station, span },
          { change, allowsOwnWrites: true },
        )
    }
  }
}
