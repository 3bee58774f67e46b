import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { sortDerived } from './derive.ts'
import type { Door, IngestOptions } from '../ingest/records/door.ts'
import { Retries } from '../concurrency/retry.ts'
import { compareSpan, type Comparison, type Span } from './span-difference.ts'
import { writeRecords } from '../ingest/records/write-records.ts'

export type MendOptions = Pick<IngestOptions, 'change'> & {
  /** Whoever stores a raw record through this process meanwhile sees to what follows from it. */
  isOwnFree: boolean
}

const SHORTEST_MILLISECONDS = 60_000

/**
 * Stores what follows from the raw records of a span; gives what was there, and what differed.
 *
 * Where raw records come between the look at them and the write, nothing is written and it is done
 * again in halves: into a short span fewer come, and it takes less time.
 */
export async function mendSpan(
  door: Door,
  catalogue: Catalogue,
  station: CatalogueStation,
  span: Span,
  options: MendOptions,
): Promise<Comparison> {
  const comparisons: Comparison[] = []
  const left = [span]
  const retries = new Retries({
    reasons: ['records'],
    what: `raw records of station ${station.entry.id}`,
  })
  for (let next = left.pop(); next !== undefined; next = left.pop())
    try {
      comparisons.push(await mendOnce(door, catalogue, station, next, options))
      retries.succeeded()
    } catch (error) {
      await retries.after(error)
      left.push(...halve(next))
    }
  return {
    kept: new Map(comparisons.flatMap(({ kept }) => [...kept])),
    differences: comparisons.flatMap(({ differences }) => differences),
  }
}

async function mendOnce(
  door: Door,
  catalogue: Catalogue,
  station: CatalogueStation,
  span: Span,
  { change, isOwnFree }: MendOptions,
): Promise<Comparison> {
  const { data } = door.storage
  const { basis, ...comparison } = await compareSpan(data, catalogue, station, span)
  if (comparison.differences.length === 0) return comparison
  const { rows, gone } = sortDerived(
    comparison.differences.map(({ source, time, derived }) => ({ source, time, record: derived })),
  )
  await writeRecords(
    door,
    catalogue,
    { theme: rows },
    { change, gone: { theme: gone }, basis: { raw: basis, isOwnFree } },
  )
  return comparison
}

/** The later half first, so that the earlier one is taken up next. */
function halve(span: Span): Span[] {
  const { from, to } = span
  if (to - from < SHORTEST_MILLISECONDS) return [span]
  const middle = Math.floor((from + to) / 2)
  return [
    { from: middle + 1, to },
    { from, to: middle },
  ]
}
