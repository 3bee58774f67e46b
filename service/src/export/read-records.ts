import { parseMarks } from '../domain/quality/qualified-values.ts'
import { showQuality } from '../domain/quality/quality-text.ts'
import { eachOf } from '../domain/records/record-list.ts'
import { readPlaces } from '../storage/read-places.ts'
import type { RecordKind, RecordSpan, RecordStore } from '../storage/storage.ts'
import type { ExportLayout, ExportSource } from './columns.ts'

/**
 * A record with a value for every item of the layout; absent values are null. With qualities bad values
 * are among them, and `qualities` has a text for each value that is not good.
 */
export type ExportRow = {
  time: number
  values: readonly (number | null)[]
  qualities?: readonly (string | null)[]
}

/** Some records of one source, oldest first. */
export type ExportRows = { source: ExportSource; rows: readonly ExportRow[] }

/** A source from one instant to another, both included. */
export type ExportSpan = { source: ExportSource; from: number; to: number }

export type ExportReport = {
  records: number
  /** Items of records that the site does not have any more. */
  unknownItems: Set<string>
}

type ExportReadOptions = {
  data: Pick<RecordStore, 'readLists' | 'readMarks'>
  kind: RecordKind
  layout: ExportLayout
  spans: readonly ExportSpan[]
  signal: AbortSignal
  report: ExportReport
  /** Receives the index of a span, and the instant up to which it has been read. */
  onProgress(span: number, instant: number): void
}

/** Yields the records of one source after the other; throws when the signal is aborted. */
export async function* readRows({
  data,
  kind,
  layout,
  spans,
  signal,
  report,
  onProgress,
}: ExportReadOptions): AsyncGenerator<ExportRows> {
  for (const [at, { source, from, to }] of spans.entries()) {
    const places = layout.places.get(source)
    if (places === undefined) throw new Error(`The layout has no source ${source.id}.`)
    const span = { kind, source: source.source, from, to }
    const columns = { places, width: layout.items.length, unknownItems: report.unknownItems }
    for await (const rows of layout.hasQuality
      ? readQualified(data, span, columns)
      : readServed(data, span, columns)) {
      signal.throwIfAborted()
      report.records += rows.length
      yield { source, rows }
      onProgress(at, rows.at(-1)?.time ?? from)
    }
    signal.throwIfAborted()
  }
}

type Columns = {
  places: ReadonlyMap<string, number>
  width: number
  unknownItems: Set<string>
}

/** The records as they are served. */
async function* readServed(
  data: Pick<RecordStore, 'readLists'>,
  span: RecordSpan,
  columns: Columns,
): AsyncGenerator<ExportRow[]> {
  for await (const list of data.readLists(span))
    yield Array.from(eachOf(list), ([time, text]) => ({
      time,
      values: readValues(Buffer.from(text).toString(), columns),
    }))
}

/** The records with their bad values and all qualities, those without a good value too. */
async function* readQualified(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  span: RecordSpan,
  columns: Columns,
): AsyncGenerator<ExportRow[]> {
  for await (const places of readPlaces(data, span))
    yield places.map(({ time, record, marks }) => {
      const values = readValues(record ?? '{}', columns)
      return { time, values, qualities: addMarks(values, marks ?? '{}', columns) }
    })
}

function readValues(text: string, { places, width, unknownItems }: Columns): (number | null)[] {
  const record: Record<string, unknown> = JSON.parse(text)
  const values = Array.from<number | null>({ length: width }).fill(null)
  for (const [key, value] of Object.entries(record)) {
    const place = places.get(key)
    if (place !== undefined && typeof value === 'number') values[place] = value
    else if (key !== 'time') unknownItems.add(key)
  }
  return values
}

/** Adds bad values; returns the qualities of values that are not good. */
function addMarks(
  values: (number | null)[],
  text: string,
  { places, width, unknownItems }: Columns,
): (string | null)[] {
  const qualities = Array.from<string | null>({ length: width }).fill(null)
  for (const [key, { value, ...mark }] of Object.entries(parseMarks(text))) {
    const place = places.get(key)
    if (place === undefined) unknownItems.add(key)
    else if (mark.quality === 'uncertain') qualities[place] = showQuality(mark)
    // A bad mark of a value that is served is void.
    else if (mark.quality === 'bad' && value !== undefined && values[place] === null) {
      values[place] = value
      qualities[place] = showQuality(mark)
    }
  }
  return qualities
}
