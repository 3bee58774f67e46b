import { eachOf, type RecordList } from '../domain/records/record-list.ts'
import type { RecordKind, RecordStore } from '../storage/storage.ts'
import type { ExportLayout, ExportSource } from './columns.ts'

/** A record with a value for every item of the layout; absent values are null. */
export type ExportRow = { time: number; values: readonly (number | null)[] }

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
  data: Pick<RecordStore, 'readLists'>
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
    for await (const list of data.readLists({ kind, source: source.source, from, to })) {
      signal.throwIfAborted()
      const rows = rowsOf(list, places, layout.items.length, report.unknownItems)
      report.records += rows.length
      yield { source, rows }
      onProgress(at, rows.at(-1)?.time ?? from)
    }
    signal.throwIfAborted()
  }
}

const rowsOf = (
  list: RecordList,
  places: ReadonlyMap<string, number>,
  width: number,
  unknownItems: Set<string>,
): ExportRow[] =>
  Array.from(eachOf(list), ([time, text]) => ({
    time,
    values: readValues(text, places, width, unknownItems),
  }))

function readValues(
  text: Uint8Array,
  places: ReadonlyMap<string, number>,
  width: number,
  unknownItems: Set<string>,
): (number | null)[] {
  const record: Record<string, unknown> = JSON.parse(Buffer.from(text).toString())
  const values = Array.from<number | null>({ length: width }).fill(null)
  for (const [key, value] of Object.entries(record)) {
    const place = places.get(key)
    if (place !== undefined && typeof value === 'number') values[place] = value
    else if (key !== 'time') unknownItems.add(key)
  }
  return values
}
