import type { QualifiedRecords } from '@plumbline/contract'
import { qualifiedValues } from '../../domain/quality/qualified-values.ts'
import type { CatalogueSensor } from '../../domain/site/catalogue.ts'
import { formatOffsetTime } from '../../domain/time/offset-text.ts'
import { readPlaces, type TimedPlace } from '../../storage/read-places.ts'
import type { RecordSpan, RecordStore } from '../../storage/storage.ts'
import { valueQuality } from './value-quality.ts'

type QualifiedRecord = QualifiedRecords['records'][number]

/** The station or sensor of the records. */
type Recorded = Pick<CatalogueSensor, 'itemIndex' | 'structure'>

/** The first records of a span, those too of which all values are bad. */
export async function readQualified(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  of: Recorded,
  { limit, ...span }: RecordSpan & { limit: number },
): Promise<QualifiedRecords> {
  const records: QualifiedRecord[] = []
  for await (const places of readPlaces(data, span)) {
    for (const place of places.slice(0, limit - records.length)) records.push(describe(place, of))
    if (records.length === limit) break
  }
  return { records }
}

function describe(place: TimedPlace, { itemIndex, structure }: Recorded): QualifiedRecord {
  const { values, marks = [] } = qualifiedValues(place, { itemIndex })
  const served: [key: string, value: number][] = []
  const qualities: [key: string, quality: ReturnType<typeof valueQuality>][] = []
  for (const [key, at] of itemIndex) {
    const [value, mark] = [values[at], marks[at]]
    if (mark !== undefined) qualities.push([key, valueQuality(mark, value)])
    if (value !== undefined && mark?.quality !== 'bad') served.push([key, value])
  }
  return {
    time: formatOffsetTime(place.time, structure.zone.spanAt(place.time).offset),
    values: Object.fromEntries(served),
    ...(qualities.length === 0 ? {} : { quality: Object.fromEntries(qualities) }),
  }
}
