import { TIME_SUFFIX_LENGTH } from './record-text.ts'

/** Records in ascending order of their instants. */
export type RecordList = { times: ArrayLike<number>; texts: readonly Uint8Array[] }

/** The first bytes of a record's end; they are in no key, where quotation marks are escaped. */
const TIME_KEY_TEXT = ',"time":"'
const TIME_KEY = Buffer.from(TIME_KEY_TEXT)
const COMMA_CODE = 0x2c
const COMMA = Buffer.of(COMMA_CODE)

/** The records of a list one by one, each with its instant. */
export function* eachOf({ times, texts }: RecordList): Generator<[time: number, text: Uint8Array]> {
  requirePairs({ times, texts })
  for (const [at, text] of texts.entries()) yield [Number(times[at]), text]
}

function requirePairs({ times, texts }: RecordList): void {
  if (times.length !== texts.length)
    throw new RangeError(`a list of records has ${times.length} instants and ${texts.length} texts`)
}

/** Splits records joined by commas; the parts share the memory of the text. */
export function splitRecords(text: Uint8Array): Uint8Array[] {
  const buffer = asBuffer(text)
  const texts: Uint8Array[] = []
  for (let start = 0; start < buffer.length;) {
    const end = endOfRecord(buffer, start)
    texts.push(buffer.subarray(start, end))
    start = end + 1
  }
  return texts
}

/** Yields where each of some joined records ends. */
export function* recordEnds(text: Uint8Array): Generator<number> {
  const buffer = asBuffer(text)
  for (let start = 0; start < buffer.length;) {
    const end = endOfRecord(buffer, start)
    yield end
    start = end + 1
  }
}

function endOfRecord(text: Buffer, start: number): number {
  const at = text.indexOf(TIME_KEY, start)
  const end = at + TIME_SUFFIX_LENGTH
  if (at < 0 || end > text.length) throw new RangeError('the last record is incomplete')
  return end
}

/** Returns the offset of the record at a place, counted from 0. */
export function findRecord(text: Uint8Array, place: number): number {
  if (place === 0) return 0
  let count = 0
  for (const end of recordEnds(text)) if (++count === place) return end + 1
  throw new RangeError(`a text of ${count} records has none at the place ${place}`)
}

/** Reverses the order of joined records, and counts them. */
export function reverseText(text: Uint8Array): { text: Buffer; count: number } {
  const reversed = Buffer.allocUnsafe(text.length)
  const texts = splitRecords(text)
  let end = text.length
  for (const [at, record] of texts.entries()) {
    if (at > 0) reversed[--end] = COMMA_CODE
    end -= record.length
    reversed.set(record, end)
  }
  return { text: reversed, count: texts.length }
}

/** Joins records by commas. */
export function joinRecords(texts: readonly Uint8Array[]): Uint8Array {
  if (texts.length === 0) return Buffer.alloc(0)
  return Buffer.concat(texts.flatMap((text, at) => (at === 0 ? [text] : [COMMA, text])))
}

/** Returns the records of both lists; a record of `later` replaces one of the same instant. */
export function mergeRecords(earlier: RecordList, later: RecordList): RecordList {
  requirePairs(earlier)
  requirePairs(later)
  const times: number[] = []
  const texts: Uint8Array[] = []
  let left = 0
  let right = 0
  for (;;) {
    const before = earlier.times[left] ?? Infinity
    const after = later.times[right] ?? Infinity
    const text = after <= before ? later.texts[right] : earlier.texts[left]
    if (text === undefined) return { times, texts }
    times.push(Math.min(before, after))
    texts.push(text)
    if (before <= after) left++
    if (after <= before) right++
  }
}

/** Returns the records from one instant to another, both inclusive. */
export function cutRecords({ times, texts }: RecordList, from: number, to: number): RecordList {
  const start = findInstant(times, from)
  const end = findInstant(times, to + 1)
  return { times: Array.prototype.slice.call(times, start, end), texts: texts.slice(start, end) }
}

/** Returns the records in descending order. */
export const reverseRecords = ({ times, texts }: RecordList): RecordList => ({
  times: Array.from(times).toReversed(),
  texts: texts.toReversed(),
})

/** Returns the index of the first of ascending instants that is not before `instant`. */
export function findInstant(times: ArrayLike<number>, instant: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? Infinity) < instant) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Converts `{"strain":1,"time":"…"},{…}` to `{"values":{"strain":1},"time":"…"},{…}`.
 *
 * Records are divided at their times: `},{` can be part of a key.
 */
export function nestRecords(text: Uint8Array): Uint8Array {
  const flat = asBuffer(text).toString('latin1')
  let nested = ''
  let start = 0
  while (start < flat.length) {
    const at = flat.indexOf(TIME_KEY_TEXT, start)
    const end = at + TIME_SUFFIX_LENGTH
    if (at < 0 || end > flat.length) throw new RangeError('the last record is incomplete')
    const comma = start === 0 ? '' : ','
    nested += `${comma}{"values":${flat.slice(start, at)}}${flat.slice(at, end)}`
    start = end + 1
  }
  return Buffer.from(nested, 'latin1')
}

/** Returns the offset of the last record; the text has at least one. */
export function findLastRecord(text: Uint8Array): number {
  const buffer = asBuffer(text)
  const last = buffer.length - TIME_SUFFIX_LENGTH
  const before = last > 0 ? buffer.lastIndexOf(TIME_KEY, last - 1) : -1
  return before < 0 ? 0 : before + TIME_SUFFIX_LENGTH + 1
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
