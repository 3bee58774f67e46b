import type { RecordOptions } from './record-options.ts'
import type { Backfill } from './backfill.ts'

/** The name of a station among the sources that `Backfill` keeps in order. */
export const stationSource = (id: number): string => `station ${id}`

/** Rows of a file may be stored in portions; the batch of a request may not. */
export const isDivisible = ({ change, position }: RecordOptions): boolean =>
  change !== undefined || position !== undefined

type RowsToStore<Row> = {
  rows: readonly Row[]
  /** The sources whose writes keep their order. */
  sourcesOf(rows: readonly Row[]): readonly string[]
  /** Whether a part of the rows may be stored without the rest. */
  isDivisible: boolean
}

/** Stores rows at once, or as backfill; returns the result of each write. */
export async function storeInTime<Row extends { time: number }, Result>(
  { backfill, now }: { backfill: Backfill; now: number },
  { rows, sourcesOf, isDivisible }: RowsToStore<Row>,
  store: (portion: readonly Row[], isLast: boolean) => Promise<Result>,
): Promise<Result[]> {
  const sources = sourcesOf(rows)
  if (isDivisible) return backfill.inPortions(sources, rows, store)
  const storeAll = () => store(rows, true)
  return backfill.includes(rows, now)
    ? [await backfill.whole(sources, rows.length, storeAll)]
    : [await backfill.live(sources, storeAll)]
}
