import type { Span } from '../derivation/span.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { readPlaces } from '../storage/read-places.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { MarkedSource } from './mark-target.ts'

/** Yields the instants of a span at which a source has values to mark, ascending, a page at a time. */
export async function* readInstants(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  source: MarkedSource,
  { from, to }: Span,
): AsyncGenerator<number[]> {
  const span = { kind: source.kind, source: numberOf(source), from, to }
  for await (const places of readPlaces(data, span)) {
    const own = places.map(({ time }) => time).filter((time) => !isLeftOut(source, time))
    if (own.length > 0) yield own
  }
}

/** The number of a station or sensor among the records of its kind. */
export const numberOf = (source: MarkedSource): number =>
  source.kind === 'raw' ? source.of.key : source.of.entry.id

const isLeftOut = (source: MarkedSource, time: number): boolean =>
  source.kind === 'theme' &&
  source.withoutDerived &&
  validityPeriodAt(source.of.validityPeriods, time) !== undefined
