import type { Catalogue, CatalogueStation } from '../domain/catalogue.ts'
import { RawSeries } from '../domain/raw-series.ts'
import {
  deriveRecords,
  leads,
  membersOf,
  reachOf,
  type RawRecords,
} from '../domain/station-records.ts'
import type { DataStore, RecordKind } from '../storage/storage.ts'

/** A record as it is kept and as it follows from the raw records; undefined where there is none. */
export type Difference = {
  source: number
  time: number
  kept: string | undefined
  derived: string | undefined
}

export type Span = { from: number; to: number }

/** The records of a span as they are kept, and what of them does not follow from the raw ones. */
export type Comparison = { kept: ReadonlyMap<number, string>; differences: Difference[] }

/** What of a station's records of a span is not as it follows from the raw records. */
export async function findDifferences(
  data: Pick<DataStore, 'readLists'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  span: Span,
): Promise<Difference[]> {
  return (await compareSpan(data, catalogue, station, span)).differences
}

/** The same, with all that is kept. */
export async function compareSpan(
  data: Pick<DataStore, 'readLists'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  { from, to }: Span,
): Promise<Comparison> {
  const source = station.entry.id
  const raw = await readRaw(data, catalogue, station, { from, to })
  const derived = deriveRecords(station, raw, from, to)
  const kept = await readTexts(data, 'theme', source, { from, to })
  const differences = derived
    .map(({ time, text }) => ({ source, time, kept: kept.get(time), derived: text }))
    .filter(({ kept, derived }) => kept !== derived)
  return { kept, differences }
}

/** The raw records that a station's records of a span depend on. */
export async function readRaw(
  data: Pick<DataStore, 'readLists'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  { from, to }: Span,
): Promise<RawRecords> {
  const members = membersOf(station)
  const reach = Math.max(...members.map(reachOf))
  const ids = new Set(members.flatMap(({ entry }) => entry.from?.sensors ?? []))
  const series = new Map<string, RawSeries>()
  for (const id of ids) {
    const sensor = catalogue.sensors.get(id)
    if (sensor === undefined) continue
    const span = { kind: 'raw', source: sensor.key, from: from - reach, to: to + reach } as const
    series.set(id, new RawSeries(await Array.fromAsync(data.readLists(span))))
  }
  return series
}

/** Records of a source by their instants. */
export async function readTexts(
  data: Pick<DataStore, 'readLists'>,
  kind: RecordKind,
  source: number,
  { from, to }: Span,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  for await (const list of data.readLists({ kind, source, from, to }))
    for (const [at, text] of list.texts.entries())
      texts.set(list.times[at]!, Buffer.from(text).toString())
  return texts
}

/** The instants of a span at which raw records make one of the station. */
export const findOwnInstants = (
  station: CatalogueStation,
  raw: RawRecords,
  { from, to }: Span,
): number[] =>
  deriveRecords(station, raw, from, to)
    .map(({ time }) => time)
    .filter((time) => leads(station, raw, time))
