import { inSlices } from '../concurrency/in-slices.ts'
import type { ItemValues } from '../domain/alarms/threshold-evaluator.ts'
import type { RecordRows } from '../storage/storage.ts'

/** A record as it is stored: the number of its source, its instant, and its text as it is served. */
export type NewRecord = { source: number; time: number; record: string }

/** A station's record; `values`, in the order of the items, spare parsing the text. */
export type NewStationRecord = NewRecord & { values?: ItemValues }

export function toColumns(rows: readonly NewRecord[]): RecordRows {
  const columns = noColumns()
  for (const row of rows) addRow(columns, row)
  return columns
}

/** As `toColumns`; other work runs meanwhile. */
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
