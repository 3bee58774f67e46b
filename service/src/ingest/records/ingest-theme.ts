import type { IngestReport } from '@plumbline/contract'
import type { NewRecord } from '../../commit/rows.ts'
import { recordText } from '../../domain/records/record-text.ts'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import type { IngestParts } from '../ingest-parts.ts'
import { rejectForeign, type BatchContext } from './foreign-target.ts'
import type { RecordOptions } from './record-options.ts'
import { readQuality } from './read-quality.ts'
import { readTime } from './read-time.ts'
import { readValues } from './read-values.ts'
import { isRejection, sift, type Rejection } from './report.ts'
import { isDivisible, stationSource, storeInTime } from './store-in-time.ts'

type ThemeParts = Pick<
  IngestParts,
  'catalogue' | 'clock' | 'commits' | 'backfill' | 'early' | 'targets'
>

/** Stores records of stations; resolves once they are durable. */
export async function ingestTheme(
  { catalogue: currentCatalogue, clock, commits, backfill, early, targets }: ThemeParts,
  records: readonly unknown[],
  options: RecordOptions = {},
): Promise<IngestReport> {
  const catalogue = await currentCatalogue()
  const arrival = clock.arrive()
  const { change, position, replace } = options
  const isPart = replace !== 'whole'
  const { rows, rejected } = await sift(records, (record) =>
    readThemeRecord(record, { catalogue, arrival, targets, isPart }),
  )
  const written = await storeInTime(
    { backfill, now: clock.now() },
    { rows, sourcesOf, isDivisible: isDivisible(options) },
    (theme, isLast) =>
      commits.records(catalogue, { theme, change, position: isLast ? position : undefined }),
  )
  await early?.note('theme', rows, ({ source }) => source, arrival.now)
  const replaced = written.reduce((sum, { theme }) => sum + theme.replaced, 0)
  return { accepted: rows.length, replaced, rejected }
}

/** The stations of all rows, each once. */
function sourcesOf(rows: readonly NewRecord[]): string[] {
  const stations = new Set<number>()
  for (const { source } of rows) stations.add(source)
  return Array.from(stations, stationSource)
}

/** Checks the record of a station; with `isPart` it replaces only the values that it names. */
export function readThemeRecord(
  record: unknown,
  { isPart, ...context }: BatchContext & { isPart: boolean },
): NewRecord | Rejection {
  if (!isObject(record)) return { rejection: 'a record must be {station, time, values}' }
  const { catalogue, arrival } = context
  const { station: id, time, values } = record

  const station = typeof id === 'number' ? catalogue.stations.get(id) : undefined
  if (station === undefined) return { rejection: `station ${show(id)} is not known` }

  const target = { structure: station.entry.structure, station: station.entry.id }
  const foreign = rejectForeign(context, target, `station ${station.entry.id}`)
  if (foreign !== undefined) return foreign

  const { zone } = station.structure
  const instant = readTime(time, { kind: 'theme', source: station.entry.id, zone }, arrival)
  if (typeof instant !== 'number') return instant

  const owner = () => `station ${station.entry.id}`
  const read = readValues(values, station, owner)
  if (isRejection(read)) return read
  const marks = readQuality(record['quality'], station, read, owner)
  if (marks !== undefined && isRejection(marks)) return marks

  const text = recordText(station.quotedKeys, read, zone.toLocal(instant))
  return { source: station.entry.id, time: instant, record: text, values: read, marks, isPart }
}
