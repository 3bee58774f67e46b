import type { IngestReport } from '@plumbline/contract'
import type { Catalogue, CatalogueSensor } from '../../domain/site/catalogue.ts'
import { inSlices, mapInSlices } from '../../concurrency/in-slices.ts'
import { recordText } from '../../domain/records/record-text.ts'
import { completeRows } from './complete-rows.ts'
import { derive, sortDerived, type Derived } from '../../derivation/derive.ts'
import { arriveAt, stationSource, storeInTime, type Door, type IngestOptions } from './door.ts'
import { inTurn } from '../../concurrency/serial-queue.ts'
import { show } from '../../errors/show.ts'
import { readTime, type Arrival } from './read-time.ts'
import { readValues } from './read-values.ts'
import { retryOnConflict } from '../../concurrency/retry.ts'
import { isRejection, sift, type Rejection } from './report.ts'
import { collectSpans, settle } from '../../derivation/derive-stations.ts'
import type { RawSpan, WriteOptions } from '../../storage/storage.ts'
import type { RecordRow } from './ingest-theme.ts'
import { writeRecords } from './write-records.ts'

export type RawOptions = IngestOptions & {
  /** Values that a record does not name are kept from the stored one of its sensor and instant. */
  merge?: boolean
}

/** Stores raw values and the station values derived from them; answers once all are durable. */
export async function ingestRaw(
  door: Door,
  records: readonly unknown[],
  { merge = false, ...options }: RawOptions = {},
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const now = arriveAt(door)
  const arrival = { now, behind: door.behind }
  const { rows, rejected } = await sift(records, (record) =>
    readRawRecord(record, catalogue, arrival),
  )

  const { position, ...others } = options
  const replaced = await storeInTime(door, rows, { ...options, sourcesOf }, (portion, isLast) =>
    storeRows(door, catalogue, portion, { ...others, ...(isLast ? { position } : {}), merge }),
  )
  await door.early?.note('raw', rows, ({ sensor }) => sensor.entry.id, now)
  return { accepted: rows.length, replaced: replaced.reduce((sum, one) => sum + one, 0), rejected }
}

/** The sensors of all rows and the stations whose records follow from theirs, each once. */
function sourcesOf(rows: readonly RawRow[]): string[] {
  const sensors = new Set<CatalogueSensor>()
  for (const { sensor } of rows) sensors.add(sensor)
  const sources = new Set<string>()
  for (const { key, feeds } of sensors) {
    sources.add(`sensor ${key}`)
    for (const station of feeds.flatMap((fed) => fed.group?.stations ?? [fed]))
      sources.add(stationSource(station.entry.id))
  }
  return [...sources]
}

/** Stores raw records and what follows from them; gives how many were replaced. */
async function storeRows(
  door: Door,
  catalogue: Catalogue,
  rows: readonly RawRow[],
  { merge, ...options }: RawOptions,
): Promise<number> {
  const spans = collectSpans(rows)
  const isWhole = spans.size === 0
  const { position, ...others } = options
  const first = isWhole ? options : others
  const { data } = door.storage
  const { raw } = merge
    ? await inTurn(data, () => mergeRows(door, catalogue, rows, first))
    : await write(door, catalogue, rows, first)
  if (!isWhole) {
    await settle(door, catalogue, spans, others)
    // Only now the source need not be read again.
    if (position !== undefined) await data.write({}, { position })
  }
  return raw.replaced
}

/** A record that can be stored. */
export type RawRow = {
  sensor: CatalogueSensor
  time: number
  /** In the order of the sensor's items. */
  values: (number | undefined)[]
  /** What the sender named, null and all. */
  named: object
}

/** Done again where another process has written records of a sensor since they were looked at. */
async function mergeRows(
  door: Door,
  catalogue: Catalogue,
  rows: readonly RawRow[],
  options: IngestOptions,
) {
  const { data } = door.storage
  const what = 'records of the same sensors'
  return retryOnConflict({ reasons: ['records'], what }, async () => {
    const raw = await data.noteRaw(spansOf(rows))
    const complete = await completeRows(data, rows)
    const basis = { raw, isOwnFree: true }
    return write(door, catalogue, complete, { ...options, basis })
  })
}

/** From the first to the last record of each sensor. */
function spansOf(rows: readonly RawRow[]): RawSpan[] {
  const spans = new Map<number, RawSpan>()
  for (const { sensor, time } of rows) {
    const span = spans.getOrInsert(sensor.key, { source: sensor.key, from: time, to: time })
    span.from = Math.min(span.from, time)
    span.to = Math.max(span.to, time)
  }
  return [...spans.values()]
}

async function write(
  door: Door,
  catalogue: Catalogue,
  rows: readonly RawRow[],
  options: IngestOptions & Pick<WriteOptions, 'basis'>,
) {
  const all: Derived[] = []
  await inSlices(rows, ({ sensor, values, time }) => {
    for (const one of derive(sensor, values, time)) all.push(one)
  })
  const derived = sortDerived(all)
  const raw = await mapInSlices(rows, toRecord)
  return writeRecords(
    door,
    catalogue,
    { raw, theme: derived.rows },
    { ...options, gone: { theme: derived.gone } },
  )
}

function toRecord({ sensor, time, values }: RawRow): RecordRow {
  const text = recordText(sensor.quotedKeys, values, sensor.structure.zone.toLocal(time))
  return { source: sensor.key, time, record: text }
}

function readRawRecord(
  record: unknown,
  catalogue: Catalogue,
  arrival: Arrival,
): RawRow | Rejection {
  if (typeof record !== 'object' || record === null)
    return { rejection: 'a record must be {sensor, time, values}' }
  const { sensor: id, time, values } = record as Record<string, unknown>

  const sensor = typeof id === 'string' ? catalogue.sensors.get(id.toLowerCase()) : undefined
  if (sensor === undefined) return { rejection: `sensor ${show(id)} is not known` }

  const { zone } = sensor.structure
  const instant = readTime(time, { kind: 'raw', source: sensor.entry.id, zone }, arrival)
  if (typeof instant !== 'number') return instant

  const read = readValues(values, sensor, () => `sensor ${sensor.entry.name}`)
  if (isRejection(read)) return read
  return { sensor, time: instant, values: read, named: values as object }
}
