import type { RecordOptions } from '../ingest-parts.ts'
import type { Backfill } from './backfill.ts'

/** Whose records have to keep their order: a station. */
export const stationSource = (id: number): string => `station ${id}`

/** Rows of an import or of a file that is read on may be stored in portions; a batch may not. */
export const isDivisible = ({ change, position }: RecordOptions): boolean =>
  change !== undefined || position !== undefined

type Rows<Row> = {
  rows: readonly Row[]
  /** Whose records have to keep their order with those of the rows. */
  sourcesOf(rows: readonly Row[]): readonly string[]
  /** Whether a part of the rows may be stored without the rest: that is read again. */
  isDivisible: boolean
}

/** Stores rows at once or, as backfill, when it is their turn; gives what each write came to. */
export async function storeInTime<Row extends { time: number }, Result>(
  { backfill, now }: { backfill: Backfill; now: number },
  { rows, sourcesOf, isDivisible }: Rows<Row>,
  store: (portion: readonly Row[], isLast: boolean) => Promise<Result>,
): Promise<Result[]> {
  const sources = sourcesOf(rows)
  if (isDivisible) return backfill.inPortions(sources, rows, store)
  const storeAll = () => store(rows, true)
  return backfill.includes(rows, now)
    ? [await backfill.whole(sources, rows.length, storeAll)]
    : [await backfill.live(sources, storeAll)]
}
