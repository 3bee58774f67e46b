import { eachOf } from '../../domain/records/record-list.ts'
import { recordKey } from '../../domain/records/record-text.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import type { RecordSpan, Storage } from '../../storage/storage.ts'

/** From the first instant to the last. */
export const EVER = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER } as const

type RecordsOfSource = Pick<RecordSpan, 'kind' | 'source'>

/** Counts the records of a source that have a value, by key; of sealed days no record is read. */
export async function countByKey(
  { readHours }: Pick<Storage['records'], 'readHours'>,
  source: RecordsOfSource,
  zone: Zone,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for await (const { items } of readHours({ ...source, ...EVER, zone }))
    for (const [key, { count }] of items) counts.set(key, (counts.get(key) ?? 0) + count)
  return counts
}

/** Counts the records of a source. */
export async function countRecords(
  { readLists }: Pick<Storage['records'], 'readLists'>,
  source: RecordsOfSource,
): Promise<number> {
  let count = 0
  for await (const { texts } of readLists({ ...source, ...EVER })) count += texts.length
  return count
}

/** Counts the records of a source that have values of both keys. */
export async function countWithBoth(
  { readLists }: Pick<Storage['records'], 'readLists'>,
  source: RecordsOfSource,
  keys: readonly [string, string],
): Promise<number> {
  // A quotation mark behind a comma or a brace begins a key: within one it has a backslash before it.
  const places = keys.map((key) => ['{', ','].map((sign) => Buffer.from(sign + recordKey(key))))
  let count = 0
  for await (const list of readLists({ ...source, ...EVER }))
    for (const [, text] of eachOf(list)) {
      const record = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
      if (places.every((forms) => forms.some((form) => record.includes(form)))) count++
    }
  return count
}
