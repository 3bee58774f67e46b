import { inSlices } from '../concurrency/in-slices.ts'
import type { Marks } from '../domain/quality/quality.ts'
import type { RecordRows } from '../storage/storage.ts'

/** A record to store: the number of its source, its instant, and its values. */
export type NewRecord = {
  source: number
  time: number
  /** The text of all its values, as if they were good. */
  record: string
  /** The values in the order of the items, bad ones among them; left out, they are parsed. */
  values?: readonly (number | undefined)[]
  /** The values that are not simply good. */
  marks?: Marks | undefined
  /** Whether values that it does not name stay as they are stored; otherwise it replaces a record whole. */
  isPart?: boolean | undefined
}

/** The columns of records as they are given; other work runs meanwhile. */
export async function toColumnsInSlices(rows: readonly NewRecord[]): Promise<RecordRows> {
  const columns = noColumns()
  await inSlices(rows, (row) => addRow(columns, row))
  return columns
}

const noColumns = (): RecordRows => ({ sources: [], times: [], records: [] })

function addRow(columns: RecordRows, { source, time, record }: NewRecord): void {
  columns.sources.push(source)
  columns.times.push(time)
  columns.records.push(record)
}
