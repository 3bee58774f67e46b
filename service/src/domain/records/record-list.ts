import { TIME_SUFFIX_LENGTH } from './record-text.ts'

/** Records in the order of their instants, which ascend. */
export type RecordList = { times: ArrayLike<number>; texts: readonly Uint8Array[] }

/** With these bytes a record's end begins; inside a key every quotation mark is escaped. */
const TIME_KEY_TEXT = ',"time":"'
const TIME_KEY = Buffer.from(TIME_KEY_TEXT)
const COMMA = Buffer.from(',')

/** Cuts records that were joined by commas; the pieces share the memory of the text. */
export function splitRecords(text: Uint8Array): Uint8Array[] {
  const buffer = asBuffer(text)
  const texts: Uint8Array[] = []
  let start = 0
  while (start < buffer.length) {
    const at = buffer.indexOf(TIME_KEY, start)
    const end = at + TIME_SUFFIX_LENGTH
    if (at < 0 || end > buffer.length) throw new RangeError('records end within one')
    texts.push(buffer.subarray(start, end))
    start = end + 1
  }
  return texts
}

/** Joined records in the other order, and how many they are. */
export function reverseText(text: Uint8Array): { text: Buffer; count: number } {
  const reversed = Buffer.allocUnsafe(text.length)
  const texts = splitRecords(text)
  let end = text.length
  for (const [at, record] of texts.entries()) {
    if (at > 0) reversed[--end] = COMMA[0]!
    end -= record.length
    reversed.set(record, end)
  }
  return { text: reversed, count: texts.length }
}

export function joinRecords(texts: readonly Uint8Array[]): Uint8Array {
  if (texts.length === 0) return Buffer.alloc(0)
  return Buffer.concat(texts.flatMap((text, at) => (at === 0 ? [text] : [COMMA, text])))
}

/** All records of both; where both have an instant, the one of `later` stands. */
export function mergeRecords(earlier: RecordList, later: RecordList): RecordList {
  const times: number[] = []
  const texts: Uint8Array[] = []
  let left = 0
  let right = 0
  while (left < earlier.times.length || right < later.times.length) {
    const before = earlier.times[left] ?? Infinity
    const after = later.times[right] ?? Infinity
    times.push(Math.min(before, after))
    texts.push(after <= before ? later.texts[right]! : earlier.texts[left]!)
    if (before <= after) left++
    if (after <= before) right++
  }
  return { times, texts }
}

/** The records from one instant to another, both inclusive. */
export function cutRecords({ times, texts }: RecordList, from: number, to: number): RecordList {
  const start = findInstant(times, from)
  const end = findInstant(times, to + 1)
  return { times: Array.prototype.slice.call(times, start, end), texts: texts.slice(start, end) }
}

export const reverseRecords = ({ times, texts }: RecordList): RecordList => ({
  times: Array.from(times).toReversed(),
  texts: texts.toReversed(),
})

/** The index of the first instant that is not before another. */
export function findInstant(times: ArrayLike<number>, instant: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! < instant) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * `{"strain":1,"time":"…"},{…}` as `{"values":{"strain":1},"time":"…"},{…}`.
 *
 * Only where a record's time begins it can be told for sure: a key may be `},{`.
 */
export function nestRecords(text: Uint8Array): Uint8Array {
  const flat = asBuffer(text).toString('latin1')
  let nested = ''
  let start = 0
  while (start < flat.length) {
    const at = flat.indexOf(TIME_KEY_TEXT, start)
    const end = at + TIME_SUFFIX_LENGTH
    if (at < 0 || end > flat.length) throw new RangeError('records end within one')
    const comma = start === 0 ? '' : ','
    nested += `${comma}{"values":${flat.slice(start, at)}}${flat.slice(at, end)}`
    start = end + 1
  }
  return Buffer.from(nested, 'latin1')
}

/** Where the last of at least one record begins. */
export function findLastRecord(text: Uint8Array): number {
  const buffer = asBuffer(text)
  const last = buffer.length - TIME_SUFFIX_LENGTH
  const before = last > 0 ? buffer.lastIndexOf(TIME_KEY, last - 1) : -1
  return before < 0 ? 0 : before + TIME_SUFFIX_LENGTH + 1
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
