import type { Catalogue } from '../../domain/site/catalogue.ts'
import { inSlices } from '../../concurrency/in-slices.ts'
import { valuesOf } from '../../domain/records/record-values.ts'
import type {
  AlarmWrites,
  RecordBatch,
  RecordKind,
  Replaced,
  WriteOptions,
} from '../../storage/storage.ts'
import type { Door, StationRecord } from './door.ts'
import { toColumnsInSlices, type RecordRow, type StationRow } from './ingest-theme.ts'

/** The one way of records into storage: those of stations are judged on it. */
export async function writeRecords(
  door: Door,
  catalogue: Catalogue,
  { theme, raw = [] }: { theme: readonly StationRow[]; raw?: readonly RecordRow[] },
  options: Omit<WriteOptions, 'alarms'>,
): Promise<Record<RecordKind, Replaced>> {
  const { data } = door.storage
  const batch: RecordBatch = {
    theme: await toColumnsInSlices(theme),
    raw: await toColumnsInSlices(raw),
  }
  return judgeRows(door, catalogue, theme, options, (alarms) =>
    data.write(batch, { ...options, alarms }),
  )
}

/** What an import or a recomputation brings is past: nobody is told of it. */
export async function judgeRows<Result>(
  { judge }: Door,
  catalogue: Catalogue,
  rows: readonly StationRow[],
  { change }: Pick<WriteOptions, 'change'>,
  store: (alarms?: AlarmWrites) => Promise<Result>,
): Promise<Result> {
  if (judge === undefined || rows.length === 0) return store()
  const records: StationRecord[] = []
  await inSlices(rows, ({ source, time, record, values }) => {
    const station = catalogue.stations.get(source)
    if (station === undefined) return
    records.push({ station, time, values: values ?? valuesOf(record, station.itemIndex) })
  })
  return judge(catalogue, records, store, { isNotified: change === undefined })
}
