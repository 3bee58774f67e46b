import { inSlices } from '../concurrency/in-slices.ts'
import type { ItemValues } from '../domain/alarms/threshold-evaluator.ts'
import type { RecordRows } from '../storage/storage.ts'

/** A record as it is stored: the number of its source, its instant, and its text as it is served. */
export type RecordRow = { source: number; time: number; record: string }

/** A station's record; its values, in the order of the items, where they are at hand. */
export type StationRow = RecordRow & { values?: ItemValues }

export function toColumns(rows: readonly RecordRow[]): RecordRows {
  const columns = noColumns()
  for (const row of rows) addRow(columns, row)
  return columns
}

/** The same of any number of rows: others have their turn meanwhile. */
export async function toColumnsInSlices(rows: readonly RecordRow[]): Promise<RecordRows> {
  const columns = noColumns()
  await inSlices(rows, (row) => addRow(columns, row))
  return columns
}

const noColumns = (): RecordRows => ({ sources: [], times: [], records: [] })

function addRow(columns: RecordRows, { source, time, record }: RecordRow): void {
  columns.sources.push(source)
  columns.times.push(time)
  columns.records.push(record)
}
