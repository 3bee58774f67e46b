import type { Span } from '../derivation/span.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { MarkedSource } from './mark-target.ts'

type StoredRecords = Pick<RecordStore, 'readLists' | 'readMarks'>

/**
 * Yields the instants of a span at which a source has a record or marks, ascending, a page at a time:
 * a record whose values are all bad has marks only.
 */
export async function* readPlaces(
  data: StoredRecords,
  source: MarkedSource,
  span: Span,
): AsyncGenerator<number[]> {
  for await (const times of readInstants(data, source, span)) {
    const own = times.filter((time) => !isLeftOut(source, time))
    if (own.length > 0) yield own
  }
}

async function* readInstants(
  data: StoredRecords,
  source: MarkedSource,
  { from, to }: Span,
): AsyncGenerator<number[]> {
  const places = { kind: source.kind, source: numberOf(source) }
  let start = from
  for await (const list of data.readLists({ ...places, from, to })) {
    const times = Array.from(list.times)
    const end = times.at(-1) ?? start
    yield* readMarked(data, { ...places, from: start, to: end }, times)
    start = end + 1
  }
  yield* readMarked(data, { ...places, from: start, to }, [])
}

/** The instants of records and those of marks in a span, in pages. */
async function* readMarked(
  data: StoredRecords,
  span: Parameters<RecordStore['readMarks']>[0],
  records: readonly number[],
): AsyncGenerator<number[]> {
  let left = records
  for await (const { times } of data.readMarks(span)) {
    const last = times.at(-1) ?? span.from
    const upTo = left.filter((time) => time <= last)
    left = left.filter((time) => time > last)
    yield [...new Set([...upTo, ...times])].toSorted((a, b) => a - b)
  }
  if (left.length > 0) yield [...left]
}

/** The number of a station or sensor among the records of its kind. */
export const numberOf = (source: MarkedSource): number =>
  source.kind === 'raw' ? source.of.key : source.of.entry.id

const isLeftOut = (source: MarkedSource, time: number): boolean =>
  source.kind === 'theme' &&
  source.withoutDerived &&
  validityPeriodAt(source.of.validityPeriods, time) !== undefined
