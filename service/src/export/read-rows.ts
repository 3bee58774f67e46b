import type { RecordStore, RecordKind } from '../storage/storage.ts'
import type { ExportSource, Layout } from './layout.ts'

/** Some records of one source, oldest first; absent values are null. */
export type Rows = {
  source: ExportSource
  times: readonly number[]
  /** Of each record a value for every item of the layout. */
  values: readonly (readonly (number | null)[])[]
}

/** A source and the instants that are read of it, both inclusive. */
export type Span = { source: ExportSource; from: number; to: number }

export type ExportReport = {
  records: number
  /** Items that records have and the site has no longer. */
  strangeItems: Set<string>
}

type Reading = {
  data: Pick<RecordStore, 'readLists'>
  kind: RecordKind
  layout: Layout
  spans: readonly Span[]
  signal: AbortSignal
  report: ExportReport
  /** Hears up to which instant of which span has been read. */
  onProgress(span: number, instant: number): void
}

/** Yields the records of one source after the other; throws when the signal says stop. */
export async function* readRows({
  data,
  kind,
  layout,
  spans,
  signal,
  report,
  onProgress,
}: Reading): AsyncGenerator<Rows> {
  for (const [at, { source, from, to }] of spans.entries()) {
    const places = layout.places.get(source)!
    const lists = data.readLists({ kind, source: source.source, from, to })
    for await (const { times, texts } of lists) {
      signal.throwIfAborted()
      const values = texts.map((text) =>
        readValues(text, places, layout.items.length, report.strangeItems),
      )
      report.records += texts.length
      yield { source, times: Array.from(times), values }
      onProgress(at, times[times.length - 1]!)
    }
    signal.throwIfAborted()
  }
}

function readValues(
  text: Uint8Array,
  places: ReadonlyMap<string, number>,
  width: number,
  strange: Set<string>,
): (number | null)[] {
  const record = JSON.parse(Buffer.from(text).toString()) as Record<string, number>
  const values = Array.from<number | null>({ length: width }).fill(null)
  for (const [key, value] of Object.entries(record)) {
    const place = places.get(key)
    if (place !== undefined && typeof value === 'number') values[place] = value
    else if (key !== 'time') strange.add(key)
  }
  return values
}
