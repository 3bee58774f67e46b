import { Retries } from '../concurrency/retry.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { ChangeOption, DerivationParts } from './derivation-parts.ts'
import { sortDerived } from './derive.ts'
import { compareSpan, toDerived, type Comparison } from './span-difference.ts'
import type { Span } from './span.ts'

type SpanOptions = ChangeOption & {
  /** Whether raw records that this process stores meanwhile are no conflict: it derives them next. */
  allowsOwnWrites: boolean
}

type StationSpan = { station: CatalogueStation; span: Span }

const SHORTEST_MILLISECONDS = 60_000

/**
 * Stores the records derived from the raw records of a span; returns the stored ones and the differences.
 *
 * On a concurrent write the span is split in half and computed again: a shorter span takes less time,
 * and fewer raw records are stored in it meanwhile.
 */
export async function recomputeSpan(
  parts: DerivationParts,
  catalogue: Catalogue,
  { station, span }: StationSpan,
  options: SpanOptions,
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
  { change, allowsOwnWrites }: SpanOptions,
): Promise<Comparison> {
  const { basis, ...comparison } = await compareSpan(data, catalogue, station, span)
  if (comparison.differences.length === 0) return comparison
  const { rows, gone } = sortDerived(comparison.differences.map(toDerived))
  await commits.records(catalogue, {
    theme: rows,
    deletions: { theme: gone },
    change,
    basis: { raw: basis, allowsOwnWrites },
  })
  return comparison
}

/** The later half first, since the last element is computed next. */
function halve(span: Span): Span[] {
  const { from, to } = span
  if (to - from < SHORTEST_MILLISECONDS) return [span]
  const middle = Math.floor((from + to) / 2)
  return [
    { from: middle + 1, to },
    { from, to: middle },
  ]
}
