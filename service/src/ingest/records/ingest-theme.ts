import type { IngestReport } from '@plumbline/contract'
import type { ItemValues } from '../../domain/alarms/threshold-evaluator.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { inSlices } from '../../concurrency/in-slices.ts'
import { recordText } from '../../domain/records/record-text.ts'
import { show } from '../../errors/show.ts'
import type { Reading, RecordRows, WriteOptions } from '../../storage/storage.ts'
import { arriveAt, stationSource, storeInTime, type Door, type IngestOptions } from './door.ts'
import { readTime, type Arrival } from './read-time.ts'
import { readValues } from './read-values.ts'
import { isRejection, sift, type Rejection } from './report.ts'
import { writeRecords } from './write-records.ts'

export type ThemeOptions = IngestOptions & {
  /** Says who measured a record that can be stored; it came in at this place. */
  readingOf?: (index: number, row: RecordRow) => Reading
}

/** Stores station values that arrive ready; answers once they are durable. */
export async function ingestTheme(
  door: Door,
  records: readonly unknown[],
  { readingOf, ...options }: ThemeOptions = {},
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const now = arriveAt(door)
  const arrival = { now, behind: door.behind }
  const readings: Reading[] = []
  const { rows, rejected } = await sift(records, (record, index) => {
    const row = readThemeRecord(record, catalogue, arrival)
    if (readingOf !== undefined && !isRejection(row)) readings.push(readingOf(index, row))
    return row
  })
  const { position, ...others } = options
  const write = (theme: readonly StationRow[], further: WriteOptions) =>
    writeRecords(door, catalogue, { theme }, { ...others, ...further })
  // A reading goes with its record.
  const written =
    readings.length > 0
      ? [await write(rows, { position, readings })]
      : await storeInTime(door, rows, { ...options, sourcesOf }, (portion, isLast) =>
          write(portion, isLast ? { position } : {}),
        )
  await door.early?.note('theme', rows, ({ source }) => source, now)
  const replaced = written.reduce((sum, { theme }) => sum + theme.replaced, 0)
  return { accepted: rows.length, replaced, rejected }
}

/** The stations of all rows, each once. */
function sourcesOf(rows: readonly StationRow[]): string[] {
  const stations = new Set<number>()
  for (const { source } of rows) stations.add(source)
  return Array.from(stations, stationSource)
}

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

function readThemeRecord(
  record: unknown,
  catalogue: Catalogue,
  arrival: Arrival,
): StationRow | Rejection {
  if (typeof record !== 'object' || record === null)
    return { rejection: 'a record must be {station, time, values}' }
  const { station: id, time, values } = record as Record<string, unknown>

  const station = catalogue.stations.get(id as number)
  if (station === undefined) return { rejection: `station ${show(id)} is not known` }

  const { zone } = station.structure
  const instant = readTime(time, { kind: 'theme', source: station.entry.id, zone }, arrival)
  if (typeof instant !== 'number') return instant

  const read = readValues(values, station, () => `station ${station.entry.id}`)
  if (isRejection(read)) return read

  const text = recordText(station.quotedKeys, read, zone.toLocal(instant))
  return { source: station.entry.id, time: instant, record: text, values: read }
}
