import {
  completeStored,
  toPlacedWriteInSlices,
  type CompleteRow,
  type PlacedWrite,
} from '../commit/complete-rows.ts'
import type { Place } from '../commit/known-places.ts'
import { retryOnConflict } from '../concurrency/retry.ts'
import { collectSpans } from '../derivation/affected-spans.ts'
import { deriveRows } from '../derivation/derive.ts'
import type { Span } from '../derivation/span.ts'
import { markValues as withMarks } from '../domain/quality/qualified-values.ts'
import type { Catalogue, CatalogueSensor } from '../domain/site/catalogue.ts'
import type { StoredPlace } from '../storage/storage.ts'
import type { MarkedSource, MarkingTarget } from './mark-target.ts'
import { numberOf, readInstants } from './marked-places.ts'
import type { MarkingDependencies } from './marking-dependencies.ts'

export type Marking = {
  target: MarkingTarget
  span: Span
  /** The change that keeps what was there before. */
  change: number
  /** Whether the change was begun before and interrupted. */
  isResumed?: boolean
  signal?: AbortSignal | undefined
  /** Receives how many records have been marked so far. */
  onProgress?(records: number): void
}

/** Values that get another mark, and the records that they belong to; what is marked so already is left out. */
export type MarkedCounts = { theme: number; raw: number; values: number }

/**
 * Marks the values of a span, a page at a time, as a change that can be undone. Station records are
 * derived again from marked raw records. Each page is a commit: after an interruption the same marking
 * continues, and counts what was left.
 */
export async function markValues(
  dependencies: MarkingDependencies,
  marking: Marking,
): Promise<MarkedCounts> {
  const run = new MarkingRun(dependencies, await dependencies.catalogue(), marking)
  for (const source of marking.target.sources) await run.mark(source)
  return run.counts
}

/** Counts what a marking would mark. */
export async function countMarkable(
  { storage: { records } }: Pick<MarkingDependencies, 'storage'>,
  { target, span, signal }: Pick<Marking, 'target' | 'span' | 'signal'>,
): Promise<MarkedCounts> {
  const counts: MarkedCounts = { theme: 0, raw: 0, values: 0 }
  for (const source of target.sources)
    for await (const times of readInstants(records, source, span)) {
      if (signal?.aborted === true) return counts
      const places = placesOf(source, times)
      const stored = await records.findStored(source.kind, keysOf(places))
      addTo(counts, source, markRows(source, target, { places, stored }))
    }
  return counts
}

class MarkingRun {
  readonly counts: MarkedCounts = { theme: 0, raw: 0, values: 0 }
  readonly #dependencies: MarkingDependencies
  readonly #catalogue: Catalogue
  readonly #marking: Marking

  constructor(dependencies: MarkingDependencies, catalogue: Catalogue, marking: Marking) {
    this.#dependencies = dependencies
    this.#catalogue = catalogue
    this.#marking = marking
  }

  async mark(source: MarkedSource): Promise<void> {
    const { span, signal, isResumed = false, onProgress } = this.#marking
    let last: number[] = []
    for await (const times of readInstants(this.#dependencies.storage.records, source, span)) {
      if (signal?.aborted === true) return
      const marked = await this.#markPage(source, times)
      addTo(this.counts, source, marked)
      // An interrupted run may have marked raw records and derived nothing.
      const touched = isResumed ? times : marked.rows.map(({ time }) => time)
      if (source.kind === 'raw' && touched.length > 0)
        await this.#deriveAgain(source.of, [...last, ...touched])
      last = times.slice(-1)
      onProgress?.(this.counts.theme + this.counts.raw)
    }
  }

  /** Marks the values of a page as they are stored; again where another writer changes them meanwhile. */
  #markPage(source: MarkedSource, times: readonly number[]): Promise<MarkedRows> {
    const { commits } = this.#dependencies
    const { kind } = source
    const places = placesOf(source, times)
    const policy = { reasons: ['places'], what: 'the records to mark' } as const
    return commits.places.inTurn(kind, places, () =>
      retryOnConflict(policy, async () => {
        const stored = await commits.places.look(kind, places)
        const marked = markRows(source, this.#marking.target, { places, stored })
        if (marked.rows.length > 0) await this.#write(source, marked.rows)
        return marked
      }),
    )
  }

  async #write(source: MarkedSource, rows: readonly CompleteRow[]): Promise<void> {
    const { change } = this.#marking
    const placed: PlacedWrite = await toPlacedWriteInSlices(rows)
    const unit =
      source.kind === 'raw'
        ? { ...(await deriveRows(rows, () => source.of)), raw: placed, change }
        : { marked: placed, change }
    await this.#dependencies.commits.records(this.#catalogue, unit)
  }

  /** With the last instant of the page before, so that the result does not depend on page bounds. */
  async #deriveAgain(sensor: CatalogueSensor, times: readonly number[]): Promise<void> {
    const spans = collectSpans(times.map((time) => ({ sensor, time })))
    const { change } = this.#marking
    await this.#dependencies.derivation.update(this.#catalogue, spans, { change })
  }
}

/** Records of a page with their new marks, and the number of values that get them. */
type MarkedRows = { rows: readonly CompleteRow[]; values: number }

function markRows(
  source: MarkedSource,
  { quality }: MarkingTarget,
  { places, stored }: { places: readonly Place[]; stored: readonly StoredPlace[] },
): MarkedRows {
  const rows: CompleteRow[] = []
  let values = 0
  for (const row of completeStored(places, stored, () => source.of)) {
    const { qualified, marked } = withMarks(row.qualified, source.places, quality)
    values += marked
    if (marked > 0) rows.push({ ...row, qualified })
  }
  return { rows, values }
}

function addTo(counts: MarkedCounts, { kind }: MarkedSource, { rows, values }: MarkedRows): void {
  counts[kind] += rows.length
  counts.values += values
}

const placesOf = (source: MarkedSource, times: readonly number[]): Place[] =>
  times.map((time) => ({ source: numberOf(source), time }))

const keysOf = (places: readonly Place[]) => ({
  sources: places.map(({ source }) => source),
  times: places.map(({ time }) => time),
})
