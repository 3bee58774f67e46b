import type { RecordCommits } from '../commit/record-commits.ts'
import type { UnitOfWork } from '../commit/unit-of-work.ts'
import { SerialQueue } from '../concurrency/serial-queue.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { isConflict } from '../errors/conflict-error.ts'
import type { RecordStore, RawRevisions } from '../storage/storage.ts'
import { joinSpans, type Spans } from './affected-spans.ts'
import { sortDerived, type Derived } from './derive.ts'
import { recomputeSpan } from './recompute-span.ts'
import { compareSpan, type Comparison, type Span } from './span-difference.ts'

export type DerivationParts = {
  data: Pick<RecordStore, 'readLists' | 'readRawRevisions'>
  commits: Pick<RecordCommits, 'records'>
}

type Change = Pick<UnitOfWork, 'change'>

/** Records that are written at once; a span that has more is not divided. */
const RECORDS_AT_ONCE = 10_000

/** Spans that wait for their turn: they are computed and committed together. */
type Gathered = {
  readonly catalogue: Catalogue
  readonly change: number | undefined
  readonly spans: Map<CatalogueStation, readonly Span[]>
  done: Promise<void>
}

type Compared = { station: CatalogueStation; span: Span; basis: RawRevisions; derived: Derived[] }

/**
 * Keeps the records of stations that depend on several sensors true to the raw records.
 *
 * The spans of whatever was stored last see all raw records, so that no station record is left half
 * computed, in whatever order and by whichever process these came.
 */
export class StationDerivation {
  readonly #parts: DerivationParts
  readonly #queue = new SerialQueue()
  #waiting: Gathered | undefined

  constructor(parts: DerivationParts) {
    this.#parts = parts
  }

  /** Does work that reads raw records and writes by them, alone among such work of this process. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work)
  }

  /** Derives the records of spans, after the raw records are stored or deleted. */
  update(catalogue: Catalogue, spans: Spans, { change }: Change): Promise<void> {
    const waiting = this.#waiting
    if (waiting?.catalogue === catalogue && waiting.change === change) {
      for (const [station, list] of spans)
        waiting.spans.set(station, joinSpans([...(waiting.spans.get(station) ?? []), ...list]))
      return waiting.done
    }
    const gathered: Gathered = { catalogue, change, spans: new Map(spans), done: Promise.resolve() }
    this.#waiting = gathered
    gathered.done = this.#queue.run(async () => {
      if (this.#waiting === gathered) this.#waiting = undefined
      await this.#updateNow(gathered)
    })
    return gathered.done
  }

  /**
   * Compares the records of a span with what is derived from the raw ones, and with a `change` stores
   * what is derived.
   */
  recompute(
    catalogue: Catalogue,
    station: CatalogueStation,
    span: Span,
    { change }: Change,
  ): Promise<Comparison> {
    return this.#queue.run(async () => {
      if (change === undefined) return compareSpan(this.#parts.data, catalogue, station, span)
      // Records that depend on one sensor are stored with the raw record, and do not wait here.
      return recomputeSpan(
        this.#parts,
        catalogue,
        { station, span },
        { change, allowsOwnWrites: false },
      )
    })
  }

  async #updateNow({ catalogue, change, spans }: Gathered): Promise<void> {
    let compared: Compared[] = []
    let count = 0
    const write = async () => {
      const due = compared
      compared = []
      count = 0
      await this.#writeTogether(catalogue, due, { change })
    }
    for (const [station, ofStation] of spans)
      for (const span of ofStation) {
        const { basis, differences } = await compareSpan(this.#parts.data, catalogue, station, span)
        if (differences.length === 0) continue
        const derived = differences.map(({ source, time, derived: record }) => ({
          source,
          time,
          record,
        }))
        compared.push({ station, span, basis, derived })
        count += derived.length
        if (count >= RECORDS_AT_ONCE) await write()
      }
    if (count > 0) await write()
  }

  /** All in one commit; after a conflict each span by itself. */
  async #writeTogether(
    catalogue: Catalogue,
    compared: readonly Compared[],
    { change }: Change,
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
