import { crc32 } from 'node:zlib'

/** So many records that lie side by side share a checksum, at the most. */
export const CHECKSUM_RECORDS = 64

/** With so many it ends where an hour ends: windows of hours and days then cut none in two. */
const HOURLY_RECORDS = 16
const HOUR = 3_600_000

/** What records of a source come to that lie side by side, up to where the next checksum begins. */
export type RecordChecksum = {
  /** The instants of the first and the last. */
  start: number
  last: number
  count: number
  /** Bytes of the records joined by commas, and their CRC-32, which begins with the source. */
  length: number
  crc: number
  /** The instants, counted from the first, added up. */
  instants: number
}

/** The CRC-32 of one record alone, which begins with its source. */
export const crcOf = (source: number, record: string | Uint8Array): number =>
  crc32(record, seedOf(source))

/** The checksum of one record. */
export function checksumOf(source: number, time: number, record: string): RecordChecksum {
  const crc = crcOf(source, record)
  return { start: time, last: time, count: 1, length: bytesOf(record), crc, instants: 0 }
}

/** Whether a checksum takes one more record, which is later than all of it. */
export const hasRoomFor = ({ count, last }: RecordChecksum, time: number): boolean =>
  count < HOURLY_RECORDS ||
  (count < CHECKSUM_RECORDS && Math.floor(time / HOUR) === Math.floor(last / HOUR))

/** The checksum after one more record, which is later than all of it. */
export function addRecord(sum: RecordChecksum, time: number, record: string): RecordChecksum {
  return {
    start: sum.start,
    last: time,
    count: sum.count + 1,
    length: sum.length + 1 + bytesOf(record),
    crc: crc32(record, crc32(',', sum.crc)),
    instants: sum.instants + time - sum.start,
  }
}

/** Checksums of records in the order of their instants. */
export function checksumsOf(
  source: number,
  rows: Iterable<readonly [time: number, record: string]>,
): RecordChecksum[] {
  const sums: RecordChecksum[] = []
  for (const [time, record] of rows) {
    const last = sums.at(-1)
    if (last !== undefined && hasRoomFor(last, time))
      sums[sums.length - 1] = addRecord(last, time, record)
    else sums.push(checksumOf(source, time, record))
  }
  return sums
}

/**
 * The first of some checksums, in order, that a text of joined records does not come to; or the
 * last where the text goes on behind it.
 */
export function findMismatch<Sum extends Pick<RecordChecksum, 'length' | 'crc'>>(
  source: number,
  text: Uint8Array,
  sums: readonly Sum[],
): Sum | undefined {
  const seed = seedOf(source)
  let at = 0
  for (const sum of sums) {
    const end = at + sum.length
    if (end > text.length || crc32(text.subarray(at, end), seed) !== sum.crc) return sum
    if (end < text.length && text[end] !== COMMA) return sum
    at = end + 1
  }
  return at === text.length + 1 ? undefined : sums.at(-1)
}

/** Whether records with their instants come to a checksum. */
export function matches(
  source: number,
  sum: RecordChecksum,
  rows: Iterable<readonly [time: number, record: string]>,
): boolean {
  let own: RecordChecksum | undefined
  for (const [time, record] of rows)
    own = own === undefined ? checksumOf(source, time, record) : addRecord(own, time, record)
  return own !== undefined && FIELDS.every((field) => own[field] === sum[field])
}

const FIELDS = ['start', 'last', 'count', 'length', 'crc', 'instants'] as const
const COMMA = 0x2c

const seedOf = (source: number): number => source >>> 0

const bytesOf = (record: string): number => Buffer.byteLength(record)
