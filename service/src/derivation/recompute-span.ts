import type { UnitOfWork } from '../commit/unit-of-work.ts'
import { Retries } from '../concurrency/retry.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { sortDerived } from './derive.ts'
import { compareSpan, type Comparison, type Span } from './span-difference.ts'
import type { DerivationParts } from './station-derivation.ts'

export type RecomputeOptions = Pick<UnitOfWork, 'change'> & {
  /** Raw records that this process stores meanwhile are no conflict: what depends on them follows. */
  allowsOwnWrites: boolean
}

type StationSpan = { station: CatalogueStation; span: Span }

const SHORTEST_MILLISECONDS = 60_000

/**
 * Stores what is derived from the raw records of a span; gives what was there, and what differed.
 *
 * On a concurrent write the span is split in half and computed again: fewer raw records come into a
 * short span, and it takes less time.
 */
export async function recomputeSpan(
  parts: DerivationParts,
  catalogue: Catalogue,
  { station, span }: StationSpan,
  options: RecomputeOptions,
): Promise<Comparison> {
  const comparisons: Comparison[] = []
  const left = [span]
  const what = `raw records of station ${station.entry.id}`
  const retries = new Retries({ reasons: ['records'], what })
  for (let next = left.pop(); next !== undefined; next = left.pop())
    try {
      comparisons.push(await recomputeOnce(parts, catalogue, { station, span: next }, options))
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

async function recomputeOnce(
  { data, commits }: DerivationParts,
  catalogue: Catalogue,
  { station, span }: StationSpan,
  { change, allowsOwnWrites }: RecomputeOptions,
): Promise<Comparison> {
  const { basis, ...comparison } = await compareSpan(data, catalogue, station, span)
  if (comparison.differences.length === 0) return comparison
  const { rows, gone } = sortDerived(
    comparison.differences.map(({ source, time, derived }) => ({ source, time, record: derived })),
  )
  await commits.records(catalogue, {
    theme: rows,
    deletions: { theme: gone },
    change,
    basis: { raw: basis, allowsOwnWrites },
  })
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
