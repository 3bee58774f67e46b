import type { ItemValues } from '../domain/alarms/threshold-evaluator.ts'
import { qualifiedValues, reevaluatedValues } from '../domain/quality/qualified-values.ts'
import { joinRecords, type RecordList } from '../domain/records/record-list.ts'
import { pickValues } from '../domain/records/record-values.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { RecordStore, RecordSpan } from '../storage/storage.ts'
import { alarmSettings } from './station-evaluators.ts'

type TimedValues = { time: number; values: ItemValues }

type StoredRecords = Pick<RecordStore, 'readLists' | 'readMarks'>

/**
 * Reads stored records of a station, oldest first, in pages, with the values that its rules and
 * thresholds judge, in the order of the factor's items.
 */
export async function* readRecordValues(
  data: StoredRecords,
  span: RecordSpan,
  station: CatalogueStation,
): AsyncGenerator<TimedValues[]> {
  let from = span.from
  for await (const list of data.readLists(span)) {
    const records = parse(list, station)
    const to = records.at(-1)?.time ?? from
    yield await withMarked(data, { ...span, from, to }, station, records)
    from = to + 1
  }
  const rest = await withMarked(data, { ...span, from }, station, [])
  if (rest.length > 0) yield rest
}

function parse({ times, texts }: RecordList, { itemIndex }: CatalogueStation): TimedValues[] {
  // One by one takes five times as long.
  const text = Buffer.from(joinRecords(texts)).toString()
  const records: Record<string, unknown>[] = JSON.parse(`[${text}]`)
  if (records.length !== times.length)
    throw new RangeError(`${times.length} instants have ${records.length} records`)
  return records.map((record, at) => ({
    time: Number(times[at]),
    values: pickValues(record, itemIndex),
  }))
}

/** Nearly every record has no marks, and is returned as it is. */
async function withMarked(
  data: StoredRecords,
  span: RecordSpan,
  station: CatalogueStation,
  records: TimedValues[],
): Promise<TimedValues[]> {
  const marked = new Map<number, string>()
  for await (const { times, marks } of data.readMarks(span))
    for (const [at, time] of times.entries()) marked.set(time, marks[at] ?? '{}')
  if (marked.size === 0) return records
  const settings = alarmSettings(station.structure)
  const all = new Map(records.map((record) => [record.time, record.values]))
  for (const [time, marks] of marked) {
    const bare = qualifiedValues({ record: null, marks }, station)
    const served = all.get(time) ?? []
    const values = Array.from(
      station.itemIndex.values(),
      (place) => served[place] ?? bare.values[place],
    )
    // A bad mark of a value that is served is void.
    const valid = bare.marks?.map((mark, place) =>
      mark?.quality === 'bad' && typeof served[place] === 'number' ? undefined : mark,
    )
    const qualified = { values: values.map(orAbsent), marks: valid }
    all.set(time, reevaluatedValues(qualified, settings))
  }
  return Array.from(all, ([time, values]) => ({ time, values })).toSorted((a, b) => a.time - b.time)
}

const orAbsent = (value: number | null | undefined): number | undefined => value ?? undefined
