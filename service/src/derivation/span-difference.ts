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
import type {
  MarkList,
  RecordStore,
  RawRevisions,
  RecordKind,
  RawSpan,
} from '../storage/storage.ts'
import type { Mark, Marks } from '../domain/quality/quality.ts'
import { parseMarks, qualifiedValues } from '../domain/quality/qualified-values.ts'
import { recordText } from '../domain/records/record-text.ts'
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
  const kept = await readTexts(data, 'theme', source, { from, to })
  const marked = await restoreMarked(data, station, { from, to }, kept)
  const differences = derived.flatMap(({ time, text, marks }): Difference[] => {
    const stored = marked.get(time) ?? []
    // The mark of a person or a rule stays with its value, whatever the inputs are.
    const due = marks?.map((mark, place) => (hasOwnMark(stored[place]) ? undefined : mark))
    const isSame = kept.get(time) === text && inputsOf(stored, station) === inputsOf(due, station)
    if (isSame) return []
    const difference = { source, time, kept: kept.get(time), derived: text }
    return [marks === undefined ? difference : { ...difference, marks }]
  })
  return { kept, differences, basis }
}

/**
 * Puts values that a rule or a person has marked as bad back into the stored texts: the raw records say
 * the same as before. Returns the marks of values, by instant.
 */
async function restoreMarked(
  data: Pick<RecordStore, 'readMarks'>,
  station: CatalogueStation,
  span: Span,
  kept: Map<number, string>,
): Promise<ReadonlyMap<number, Marks>> {
  const marked = new Map<number, Marks>()
  const places = { kind: 'theme', source: station.entry.id, ...span } as const
  for await (const list of data.readMarks(places))
    for (const [at, time] of list.times.entries()) {
      const record = kept.get(time) ?? null
      const { values, marks } = qualifiedValues({ record, marks: list.marks[at] ?? null }, station)
      const local = station.structure.zone.toLocal(time)
      if (values.some((value) => value !== undefined))
        kept.set(time, recordText(station.quotedKeys, values, local))
      if (marks !== undefined) marked.set(time, marks)
    }
  return marked
}

const hasOwnMark = (mark: Mark | undefined): boolean =>
  mark !== undefined && mark.origin !== 'input'

/** The keys of the values with uncertain inputs, as a text. */
const inputsOf = (marks: Marks = [], { itemIndex }: CatalogueStation): string =>
  JSON.stringify([...itemIndex].filter(([, place]) => marks[place]?.origin === 'input'))

/** Reads the raw records that a station's records of a span depend on, `without` those of some sensors. */
export const readRaw = (
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
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
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  spans: ReadonlyMap<string, RawSpan>,
  without?: { sensors: ReadonlySet<string>; span: Span },
): Promise<RawRecords> {
  const series = new Map<string, RawSeries>()
  for (const [id, { source, ...span }] of spans) {
    const parts = without?.sensors.has(id) ? cutOut(span, without.span) : [span]
    const lists: RecordList[] = []
    const uncertain = new Map<number, ReadonlySet<string>>()
    const marked: number[] = []
    for (const part of parts) {
      const places = { kind: 'raw', source, ...part } as const
      for await (const list of data.readLists(places)) lists.push(list)
      for await (const list of data.readMarks(places)) {
        noteUncertain(list, uncertain)
        marked.push(...list.times)
      }
    }
    series.set(id, new RawSeries(lists, uncertain, marked))
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
