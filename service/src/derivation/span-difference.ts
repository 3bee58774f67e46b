import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { RawSeries } from '../domain/records/raw-series.ts'
import type { RecordList } from '../domain/records/record-list.ts'
import {
  deriveRecords,
  isRecordInstant,
  membersOf,
  dependencyRange,
  type DerivedRecord,
  type RawRecords,
} from '../domain/derivation/station-records.ts'
import type { MarkList, RecordStore, RawRevisions, RawSpan } from '../storage/storage.ts'
import type { Mark, Marks } from '../domain/quality/quality.ts'
import { parseMarks, qualifiedValues } from '../domain/quality/qualified-values.ts'
import { recordText } from '../domain/records/record-text.ts'
import { readPlaces, type TimedPlace } from '../storage/read-places.ts'
import type { Derived } from './derive.ts'
import type { Span } from './span.ts'

/** A record as it is stored and as it is derived; undefined where there is none. */
export type Difference = {
  source: number
  time: number
  kept: string | undefined
  derived: string | undefined
  /** The marks of derived values that depend on uncertain ones. */
  marks?: Marks
}

/** The stored records of a span, and where they differ from the derived ones. */
export type Comparison = { kept: ReadonlyMap<number, string>; differences: Difference[] }

/** The derived record of a difference, as it is stored. */
export const toDerived = ({ source, time, derived, marks }: Difference): Derived => ({
  source,
  time,
  record: derived,
  marks,
})

type ComparedRecords = Pick<RecordStore, 'readLists' | 'readMarks' | 'readRawRevisions'>

/** Compares a station's stored records of a span with those derived from the raw records. */
export async function compareSpan(
  data: ComparedRecords,
  catalogue: Catalogue,
  station: CatalogueStation,
  { from, to }: Span,
): Promise<Comparison & { basis: RawRevisions }> {
  const source = station.entry.id
  const spans = rawSpans(catalogue, station, { from, to })
  const basis = await data.readRawRevisions(Array.from(spans.values()))
  const raw = await readSeries(data, spans)
  const derived = deriveRecords(station, raw, from, to)
  const stored = await readStored(data, station, { from, to })
  const differences = derived.flatMap((record): Difference[] => {
    const { time, text, marks } = record
    const kept = stored.get(time)
    if (kept === undefined ? text === undefined : isSame(station, kept, record)) return []
    const difference = { source, time, kept: kept?.text, derived: text }
    return [marks === undefined ? difference : { ...difference, marks }]
  })
  const kept = new Map<number, string>()
  for (const [time, { text }] of stored) if (text !== undefined) kept.set(time, text)
  return { kept, differences, basis }
}

/**
 * A stored record as its raw records gave it, and the keys of values with uncertain inputs. `judged`: the
 * marks of rules and persons, which stay in place of such a mark.
 */
type AsGiven = { text: string | undefined; uncertain: string | undefined; judged?: Marks }

/** Whether a record is derived again as it is stored; what rules and persons say of it does not matter. */
export const isAsDerived = (
  station: CatalogueStation,
  place: TimedPlace,
  derived: DerivedRecord,
): boolean => isSame(station, asGiven(station, place), derived)

const isSame = (
  station: CatalogueStation,
  { text, uncertain, judged = [] }: AsGiven,
  derived: DerivedRecord,
): boolean => {
  const marks = derived.marks?.map((mark, place) =>
    judged[place] === undefined ? mark : undefined,
  )
  return text === derived.text && uncertain === keysOf(marks, station)
}

/** Puts bad values back into the stored text: the raw records say the same as before. */
function asGiven(station: CatalogueStation, { time, ...place }: TimedPlace): AsGiven {
  if (place.marks === null) return { text: place.record ?? undefined, uncertain: undefined }
  const { values, marks } = qualifiedValues(place, station)
  const hasValue = values.some((value) => value !== undefined)
  const inputs = marks?.map((mark) => (mark?.origin === 'input' ? mark : undefined))
  return {
    text: hasValue
      ? recordText(station.quotedKeys, values, station.structure.zone.toLocal(time))
      : undefined,
    uncertain: keysOf(inputs, station),
    judged: marks?.map((mark) => (isJudgement(mark) ? mark : undefined)) ?? [],
  }
}

const isJudgement = (mark: Mark | undefined): boolean =>
  mark?.origin === 'rule' || mark?.origin === 'person'

async function readStored(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  station: CatalogueStation,
  span: Span,
): Promise<Map<number, AsGiven>> {
  const stored = new Map<number, AsGiven>()
  const source = station.entry.id
  for await (const places of readPlaces(data, { kind: 'theme', source, ...span }))
    for (const place of places) stored.set(place.time, asGiven(station, place))
  return stored
}

function keysOf(marks: Marks | undefined, { itemIndex }: CatalogueStation): string | undefined {
  if (marks === undefined) return undefined
  const keys = [...itemIndex].filter(([, place]) => marks[place] !== undefined)
  return keys.length === 0 ? undefined : JSON.stringify(keys)
}

/** Reads the raw records that a station's records of a span depend on, `without` those of some sensors. */
export const readRaw = (
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  span: Span,
  without?: { sensors: ReadonlySet<string>; span: Span },
): Promise<RawRecords> => readSeries(data, rawSpans(catalogue, station, span), without)

/** The spans of raw records that a span depends on, by the id of their sensor. */
export function rawSpans(
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
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  spans: ReadonlyMap<string, RawSpan>,
  without?: { sensors: ReadonlySet<string>; span: Span },
): Promise<RawRecords> {
  const series = new Map<string, RawSeries>()
  for (const [id, { source, ...span }] of spans) {
    const parts = without?.sensors.has(id) ? cutOut(span, without.span) : [span]
    const lists: RecordList[] = []
    const uncertain = new Map<number, ReadonlySet<string>>()
    for (const part of parts) {
      const places = { kind: 'raw', source, ...part } as const
      for await (const list of data.readLists(places)) lists.push(list)
      for await (const list of data.readMarks(places)) noteUncertain(list, uncertain)
    }
    series.set(id, new RawSeries(lists, uncertain))
  }
  return series
}

function noteUncertain(list: MarkList, into: Map<number, ReadonlySet<string>>): void {
  for (const [at, time] of list.times.entries()) {
    const marks = Object.entries(parseMarks(list.marks[at] ?? '{}'))
    const keys = marks.filter(([, { quality }]) => quality === 'uncertain').map(([key]) => key)
    if (keys.length > 0) into.set(time, new Set(keys))
  }
}

/** The parts of a span before and after another one. */
function cutOut({ from, to }: Span, gone: Span): Span[] {
  const parts = [
    { from, to: Math.min(to, gone.from - 1) },
    { from: Math.max(from, gone.to + 1), to },
  ]
  return parts.filter((part) => part.from <= part.to)
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
