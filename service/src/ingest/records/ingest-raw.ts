import type { IngestReport } from '@plumbline/contract'
import {
  completeNew,
  completeRows,
  toPlacedWriteInSlices,
  type CompleteRow,
  type Recorded,
} from '../../commit/complete-rows.ts'
import type { RecordCommits } from '../../commit/record-commits.ts'
import type { NewRecord } from '../../commit/rows.ts'
import { mapInSlices } from '../../concurrency/in-slices.ts'
import { retryOnConflict } from '../../concurrency/retry.ts'
import { collectSpans } from '../../derivation/affected-spans.ts'
import { deriveRows } from '../../derivation/derive.ts'
import { recordText } from '../../domain/records/record-text.ts'
import type { Catalogue, CatalogueSensor } from '../../domain/site/catalogue.ts'
import { isConflict } from '../../errors/conflict-error.ts'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { rejectForeign, type BatchContext } from './foreign-target.ts'
import type { RawRow } from './raw-row.ts'
import { readQuality } from './read-quality.ts'
import { readTime } from './read-time.ts'
import { readValues } from './read-values.ts'
import type { RecordOptions } from './record-options.ts'
import { isRejection, sift, type Rejection } from './report.ts'
import { isDivisible, stationSource, storeInTime } from './store-in-time.ts'
import { toItemUnits, ValuesInUnits } from './values-in-units.ts'

type StoreParts = Pick<IngestParts, 'commits' | 'derivation'>

type RawParts = StoreParts &
  Pick<IngestParts, 'catalogue' | 'clock' | 'backfill' | 'early' | 'targets'>

/** Stores raw records and the station records derived from them; resolves once all are durable. */
export async function ingestRaw(
  parts: RawParts,
  records: readonly unknown[],
  options: RecordOptions = {},
): Promise<IngestReport> {
  const { clock, backfill, early, targets } = parts
  const catalogue = await parts.catalogue()
  const arrival = clock.arrive()
  const { rows, rejected } = await sift(records, (record) =>
    readRawRecord(record, { catalogue, arrival, targets }),
  )

  const { change, position, replace } = options
  const replaced = await storeInTime(
    { backfill, now: clock.now() },
    { rows, sourcesOf, isDivisible: isDivisible(options) },
    (portion, isLast) =>
      storeRows(parts, catalogue, portion, {
        replace,
        change,
        position: isLast ? position : undefined,
      }),
  )
  await early?.note('raw', rows, ({ sensor }) => sensor.entry.id, arrival.now)
  return { accepted: rows.length, replaced: replaced.reduce((sum, one) => sum + one, 0), rejected }
}

/** The sensors of all rows and the stations whose records are derived from them, each once. */
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

/** Stores raw records and the records derived from them; returns how many raw records were replaced. */
async function storeRows(
  parts: StoreParts,
  catalogue: Catalogue,
  rows: readonly RawRow[],
  { replace, change, position }: RecordOptions,
): Promise<number> {
  const { commits, derivation } = parts
  const spans = collectSpans(rows)
  const isWhole = spans.size === 0
  const first = { replace, change, position: isWhole ? position : undefined }
  const replaced = await writeRaw(commits, catalogue, rows, first)
  if (!isWhole) {
    await derivation.update(catalogue, spans, { change })
    // The position follows last: until then the file is read again after a failure.
    if (position !== undefined) await commits.records(catalogue, { position })
  }
  return replaced
}

/** Writes raw records, those that meet a stored one merged with it; returns how many do. */
async function writeRaw(
  commits: RecordCommits,
  catalogue: Catalogue,
  rows: readonly RawRow[],
  { replace, ...options }: RecordOptions,
): Promise<number> {
  const { places } = commits
  const given = await mapInSlices(rows, (row) => toRecord(row, replace !== 'whole'))
  const sensors = new Map(rows.map(({ sensor }) => [sensor.key, sensor]))
  const write = async (complete: readonly CompleteRow[]): Promise<void> => {
    const raw = await toPlacedWriteInSlices(complete)
    const derived = await deriveRows(complete, (source) => sensorOf(sensors, source))
    try {
      await commits.records(catalogue, { ...derived, raw, ...options })
    } catch (error) {
      // What was known of the sensors is wrong: it is looked up again.
      if (isConflict(error, 'places')) places.forget('raw', given)
      throw error
    }
  }
  const describe = (source: number): Recorded => sensorOf(sensors, source)
  if (places.areNew('raw', given))
    try {
      await places.begin('raw', given, () => write(completeNew(given, describe)))
      return 0
    } catch (error) {
      if (!isConflict(error, 'places')) throw error
    }
  return places.inTurn('raw', given, () =>
    retryOnConflict({ reasons: ['places'], what: 'records of the same sensors' }, async () => {
      const stored = await places.find('raw', given)
      const { rows: complete, met } = await completeRows(given, stored, describe)
      await write(complete)
      return met
    }),
  )
}

function sensorOf(sensors: ReadonlyMap<number, CatalogueSensor>, key: number): CatalogueSensor {
  const sensor = sensors.get(key)
  if (sensor === undefined) throw new Error(`no record of sensor ${key} was given`)
  return sensor
}

function toRecord({ sensor, time, values, marks }: RawRow, isPart: boolean): NewRecord {
  const record = recordText(sensor.quotedKeys, values, sensor.structure.zone.toLocal(time))
  return { source: sensor.key, time, record, values, marks, isPart }
}

function readRawRecord(record: unknown, context: BatchContext): RawRow | Rejection {
  if (!isObject(record)) return { rejection: 'a record must be {sensor, time, values}' }
  const { catalogue, arrival } = context
  const { sensor: id, time, values: sent } = record

  const sensor = typeof id === 'string' ? catalogue.sensors.get(id.toLowerCase()) : undefined
  if (sensor === undefined) return { rejection: `sensor ${show(id)} is not known` }

  const target = { structure: sensor.structure.entry.id, device: sensor.entry.id }
  const foreign = rejectForeign(context, target, `sensor ${sensor.entry.id}`)
  if (foreign !== undefined) return foreign

  const { zone } = sensor.structure
  const instant = readTime(time, { kind: 'raw', source: sensor.entry.id, zone }, arrival)
  if (typeof instant !== 'number') return instant

  const owner = () => `sensor ${sensor.entry.name}`
  const hasUnits = sent instanceof ValuesInUnits
  const values = hasUnits ? sent.values : sent
  const read = readValues(values, sensor, owner)
  if (isRejection(read)) return read
  const inUnits = hasUnits ? toItemUnits(read, sent.units, sensor.entry.items) : read
  if (isRejection(inUnits)) return inUnits
  const marks = readQuality(record['quality'], sensor, inUnits, owner)
  if (marks !== undefined && isRejection(marks)) return marks
  return { sensor, time: instant, values: inUnits, marks }
}
