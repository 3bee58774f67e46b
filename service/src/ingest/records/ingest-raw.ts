import type { IngestReport } from '@plumbline/contract'
import type { NewRecord } from '../../commit/rows.ts'
import { inSlices, mapInSlices } from '../../concurrency/in-slices.ts'
import { retryOnConflict } from '../../concurrency/retry.ts'
import { collectSpans } from '../../derivation/affected-spans.ts'
import { derive, sortDerived, type Derived } from '../../derivation/derive.ts'
import { recordText } from '../../domain/records/record-text.ts'
import type { Catalogue, CatalogueSensor } from '../../domain/site/catalogue.ts'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import type { RawSpan, RecordWriteOptions } from '../../storage/storage.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { rejectForeign, type BatchContext } from './foreign-target.ts'
import type { RecordOptions } from './record-options.ts'
import { completeRows } from './complete-rows.ts'
import type { RawRow } from './raw-row.ts'
import { readTime } from './read-time.ts'
import { readValues } from './read-values.ts'
import { isRejection, sift, type Rejection } from './report.ts'
import { toItemUnits, ValuesInUnits } from './values-in-units.ts'
import { isDivisible, stationSource, storeInTime } from './store-in-time.ts'

type StoreParts = Pick<IngestParts, 'commits' | 'derivation'> & {
  storage: Pick<IngestParts['storage'], 'records'>
}

type RawParts = StoreParts &
  Pick<IngestParts, 'catalogue' | 'clock' | 'backfill' | 'early' | 'targets'>

export type RawOptions = RecordOptions & {
  /** Whether values that a record does not name stay as stored for its sensor and instant. */
  merge?: boolean
}

/** Stores raw records and the station records derived from them; resolves once all are durable. */
export async function ingestRaw(
  parts: RawParts,
  records: readonly unknown[],
  { merge = false, ...options }: RawOptions = {},
): Promise<IngestReport> {
  const { clock, backfill, early, targets } = parts
  const catalogue = await parts.catalogue()
  const arrival = clock.arrive()
  const { rows, rejected } = await sift(records, (record) =>
    readRawRecord(record, { catalogue, arrival, targets }),
  )

  const { change, position } = options
  const replaced = await storeInTime(
    { backfill, now: clock.now() },
    { rows, sourcesOf, isDivisible: isDivisible(options) },
    (portion, isLast) =>
      storeRows(parts, catalogue, portion, {
        merge,
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
  { merge = false, change, position }: RawOptions,
): Promise<number> {
  const { commits, derivation } = parts
  const spans = collectSpans(rows)
  const isWhole = spans.size === 0
  const first = { change, position: isWhole ? position : undefined }
  const { raw } = merge
    ? await derivation.alone(() => mergeRows(parts, catalogue, rows, first))
    : await commits.records(catalogue, { ...(await deriveRows(rows)), ...first })
  if (!isWhole) {
    await derivation.update(catalogue, spans, { change })
    // The position follows last: until then the file is read again after a failure.
    if (position !== undefined) await commits.records(catalogue, { position })
  }
  return raw.replaced
}

/** Merges again where another process has written records of a sensor since they were read. */
function mergeRows(
  { commits, storage: { records } }: StoreParts,
  catalogue: Catalogue,
  rows: readonly RawRow[],
  options: RecordOptions,
) {
  const what = 'records of the same sensors'
  return retryOnConflict({ reasons: ['records'], what }, async () => {
    const raw = await records.readRawRevisions(spansOf(rows))
    const complete = await completeRows(records, rows)
    const basis: RecordWriteOptions['basis'] = { raw, allowsOwnWrites: true }
    return commits.records(catalogue, { ...(await deriveRows(complete)), ...options, basis })
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

/** Raw records, and the station records that are derived from one of them alone. */
async function deriveRows(rows: readonly RawRow[]) {
  const all: Derived[] = []
  await inSlices(rows, ({ sensor, values, time }) => {
    for (const one of derive(sensor, values, time)) all.push(one)
  })
  const derived = sortDerived(all)
  return {
    raw: await mapInSlices(rows, toRecord),
    theme: derived.rows,
    deletions: { theme: derived.gone },
  }
}

function toRecord({ sensor, time, values }: RawRow): NewRecord {
  const text = recordText(sensor.quotedKeys, values, sensor.structure.zone.toLocal(time))
  return { source: sensor.key, time, record: text }
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

  const hasUnits = sent instanceof ValuesInUnits
  const values = hasUnits ? sent.values : sent
  const read = readValues(values, sensor, () => `sensor ${sensor.entry.name}`)
  if (isRejection(read)) return read
  const inUnits = hasUnits ? toItemUnits(read, sent.units, sensor.entry.items) : read
  if (isRejection(inUnits)) return inUnits
  return { sensor, time: instant, values: inUnits, named: isObject(values) ? values : {} }
}
