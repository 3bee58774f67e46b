import type { IngestReport } from '@plumbline/contract'
import type { Catalogue, CatalogueSensor } from '../domain/catalogue.ts'
import { recordText } from '../domain/record-text.ts'
import { derive, sortDerived } from './derive.ts'
import type { Door, IngestOptions } from './door.ts'
import { readTime } from './read-time.ts'
import { readValues } from './read-values.ts'
import { collectSpans, settle } from './settle.ts'
import { isRejection, show, sift, type Rejection } from './report.ts'
import { toColumns, type RecordRow } from './theme.ts'

/** Stores raw values and the station values derived from them; answers once all are durable. */
export async function ingestRaw(
  door: Door,
  records: readonly unknown[],
  options: IngestOptions = {},
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const now = door.now()
  const { rows, rejected } = sift(records, (record) => readRawRecord(record, catalogue, now))
  const derived = sortDerived(rows.flatMap((row) => derive(row.sensor, row.values, row.raw.time)))

  const spans = collectSpans(rows.map(({ sensor, raw: { time } }) => ({ sensor, time })))
  const isWhole = spans.size === 0
  const { position, ...others } = options
  const { raw } = await door.storage.data.write(
    { raw: toColumns(rows.map((row) => row.raw)), theme: toColumns(derived.rows) },
    { ...(isWhole ? options : others), gone: { theme: derived.gone } },
  )
  if (!isWhole) {
    await settle(door, catalogue, spans, others)
    // Only now the source need not be read again.
    if (position !== undefined) await door.storage.data.write({}, { position })
  }
  return { accepted: rows.length, replaced: raw.replaced, rejected }
}

type RawRow = { raw: RecordRow; sensor: CatalogueSensor; values: (number | undefined)[] }

function readRawRecord(record: unknown, catalogue: Catalogue, now: number): RawRow | Rejection {
  if (typeof record !== 'object' || record === null)
    return { rejection: 'a record must be {sensor, time, values}' }
  const { sensor: id, time, values } = record as Record<string, unknown>

  const sensor = typeof id === 'string' ? catalogue.sensors.get(id.toLowerCase()) : undefined
  if (sensor === undefined) return { rejection: `sensor ${show(id)} is not known` }

  const { zone } = sensor.structure
  const instant = readTime(time, zone, now)
  if (typeof instant !== 'number') return instant

  const read = readValues(values, sensor, () => `sensor ${sensor.entry.name}`)
  if (isRejection(read)) return read

  const text = recordText(sensor.quotedKeys, read, zone.toLocal(instant))
  return { raw: { source: sensor.key, time: instant, record: text }, sensor, values: read }
}
