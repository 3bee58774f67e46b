import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { RawSeries } from '../domain/records/raw-series.ts'
import { eachOf, type RecordList } from '../domain/records/record-list.ts'
import {
  deriveRecords,
  isRecordInstant,
  membersOf,
  dependencyRange,
  type RawRecords,
} from '../domain/derivation/station-records.ts'
import type { RecordStore, RawRevisions, RecordKind, RawSpan } from '../storage/storage.ts'
import type { Span } from './span.ts'

/** A record as it is stored and as it is derived; undefined where there is none. */
export type Difference = {
  source: number
  time: number
  kept: string | undefined
  derived: string | undefined
}

/** The stored records of a span, and where they differ from the derived ones. */
export type Comparison = { kept: ReadonlyMap<number, string>; differences: Difference[] }

/** Compares a station's stored records of a span with those derived from the raw records. */
export async function compareSpan(
  data: Pick<RecordStore, 'readLists' | 'readRawRevisions'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  { from, to }: Span,
): Promise<Comparison & { basis: RawRevisions }> {
  const source = station.entry.id
  const spans = rawSpans(catalogue, station, { from, to })
  const basis = await data.readRawRevisions(Array.from(spans.values()))
  const raw = await readSeries(data, spans)
  const derived = deriveRecords(station, raw, from, to)
  const kept = await readTexts(data, 'theme', source, { from, to })
  const differences = derived
    .map(({ time, text }) => ({ source, time, kept: kept.get(time), derived: text }))
    .filter(({ kept, derived }) => kept !== derived)
  return { kept, differences, basis }
}

/** Reads the raw records that a station's records of a span depend on, `without` those of some sensors. */
export const readRaw = (
  data: Pick<RecordStore, 'readLists'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  span: Span,
  without?: { sensors: ReadonlySet<string>; span: Span },
): Promise<RawRecords> => readSeries(data, rawSpans(catalogue, station, span), without)

/** The spans of raw records that a span depends on, by the id of their sensor. */
function rawSpans(
  catalogue: Catalogue,
  station: CatalogueStation,
  { from, to }: Span,
): Map<string, RawSpan> {
  const members = membersOf(station)
  const range = Math.max(...members.map(dependencyRange))
  const ids = new Set(members.flatMap(({ entry }) => entry.from?.sensors ?? []))
  const spans = new Map<string, RawSpan>()
  for (const id of ids) {
    const sensor = catalogue.sensors.get(id)
    if (sensor !== undefined)
      spans.set(id, { source: sensor.key, from: from - range, to: to + range })
  }
  return spans
}

async function readSeries(
  data: Pick<RecordStore, 'readLists'>,
  spans: ReadonlyMap<string, RawSpan>,
  without?: { sensors: ReadonlySet<string>; span: Span },
): Promise<RawRecords> {
  const series = new Map<string, RawSeries>()
  for (const [id, { source, ...span }] of spans) {
    const parts = without?.sensors.has(id) ? cutOut(span, without.span) : [span]
    const lists: RecordList[] = []
    for (const part of parts)
      for await (const list of data.readLists({ kind: 'raw', source, ...part })) lists.push(list)
    series.set(id, new RawSeries(lists))
  }
  return series
}

/** The parts of a span before and after another one. */
function cutOut({ from, to }: Span, gone: Span): Span[] {
  const parts = [
    { from, to: Math.min(to, gone.from - 1) },
    { from: Math.max(from, gone.to + 1), to },
  ]
  return parts.filter((part) => part.from <= part.to)
}

/** Records of a source by their instants. */
export async function readTexts(
  data: Pick<RecordStore, 'readLists'>,
  kind: RecordKind,
  source: number,
  { from, to }: Span,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  for await (const list of data.readLists({ kind, source, from, to }))
    for (const [time, text] of eachOf(list)) texts.set(time, Buffer.from(text).toString())
  return texts
}

/** The instants of a span at which the station has a record derived from raw records. */
export const findOwnInstants = (
  station: CatalogueStation,
  raw: RawRecords,
  { from, to }: Span,
): number[] =>
  deriveRecords(station, raw, from, to)
    .map(({ time }) => time)
    .filter((time) => isRecordInstant(station, raw, time))
