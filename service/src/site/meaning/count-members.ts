import { parseMarks } from '../../domain/quality/qualified-values.ts'
import { recordKey } from '../../domain/records/record-text.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { readPlaces, type TimedPlace } from '../../storage/read-places.ts'
import type { RecordSpan, Storage } from '../../storage/storage.ts'

/** From the first instant to the last. */
export const EVER = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER } as const

type RecordsOfSource = Pick<RecordSpan, 'kind' | 'source'>

/**
 * Counts the records of a source that have a value, good or bad, by key; of sealed days no record is
 * read.
 */
export async function countByKey(
  { readHours, readMarks }: Pick<Storage['records'], 'readHours' | 'readMarks'>,
  source: RecordsOfSource,
  zone: Zone,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count)
  for await (const { items } of readHours({ ...source, ...EVER, zone }))
    for (const [key, { count }] of items) add(key, count)
  for await (const { marks } of readMarks({ ...source, ...EVER }))
    for (const key of marks.flatMap(listBadKeys)) add(key, 1)
  return counts
}

/** Counts the records of a source, those without a good value too. */
export async function countRecords(
  records: Pick<Storage['records'], 'readLists' | 'readMarks'>,
  source: RecordsOfSource,
): Promise<number> {
  let count = 0
  for await (const places of readPlaces(records, { ...source, ...EVER })) count += places.length
  return count
}

/** Counts the records of a source that have values of both keys, good or bad. */
export async function countWithBoth(
  records: Pick<Storage['records'], 'readLists' | 'readMarks'>,
  source: RecordsOfSource,
  keys: readonly [string, string],
): Promise<number> {
  let count = 0
  for await (const places of readPlaces(records, { ...source, ...EVER }))
    for (const place of places) if (keys.every((key) => holds(place, key))) count++
  return count
}

function holds({ record, marks }: TimedPlace, key: string): boolean {
  // A quotation mark behind a comma or a brace begins a key: within one it has a backslash before it.
  const isGood = ['{', ','].some((sign) => record?.includes(sign + recordKey(key)) === true)
  return isGood || (marks !== null && listBadKeys(marks).includes(key))
}

/** The keys of bad values, which stand in their marks and not in the record. */
const listBadKeys = (marks: string): string[] =>
  Object.entries(parseMarks(marks)).flatMap(([key, { quality, value }]) =>
    quality === 'bad' && value !== undefined ? [key] : [],
  )
