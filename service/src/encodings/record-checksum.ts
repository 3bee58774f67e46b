import { crc32 } from 'node:zlib'

/** The maximum number of consecutive records of one checksum. */
export const CHECKSUM_RECORDS = 64

/** From this number on a checksum ends with the hour, so that windows of hours and days divide none. */
const HOURLY_RECORDS = 16
const HOUR = 3_600_000

/** The checksum of consecutive records of a source, up to the first record of the next checksum. */
export type RecordChecksum = {
  /** The instants of the first and the last record. */
  start: number
  last: number
  count: number
  /** The bytes of the records joined by commas, and their CRC-32, which is seeded with the source. */
  length: number
  crc: number
  /** The sum of the instants, relative to the first. */
  instants: number
}

/** Returns the CRC-32 of one record, seeded with its source. */
export const crcOf = (source: number, record: string | Uint8Array): number =>
  crc32(record, seedOf(source))

/** Returns the checksum of one record. */
export function checksumOf(source: number, time: number, record: string): RecordChecksum {
  const crc = crcOf(source, record)
  return { start: time, last: time, count: 1, length: bytesOf(record), crc, instants: 0 }
}

/** Whether a checksum can be extended by a later record at `time`. */
export const hasRoomFor = ({ count, last }: RecordChecksum, time: number): boolean =>
  count < HOURLY_RECORDS ||
  (count < CHECKSUM_RECORDS && Math.floor(time / HOUR) === Math.floor(last / HOUR))

/** Returns the checksum extended by a later record. */
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

/** Returns the checksums of records in the order of their instants. */
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
 * Returns the first of ordered checksums that does not match a text of joined records, or the last one
 * if the text continues after it; undefined if all match.
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

/** Whether records with their instants match a checksum. */
export function matches(
  source: number,
  sum: RecordChecksum,
  rows: Iterable<readonly [time: number, record: string]>,
): boolean {
  let computed: RecordChecksum | undefined
  for (const [time, record] of rows)
    computed =
      computed === undefined ? checksumOf(source, time, record) : addRecord(computed, time, record)
  return computed !== undefined && FIELDS.every((field) => computed[field] === sum[field])
}

const FIELDS = ['start', 'last', 'count', 'length', 'crc', 'instants'] as const
const COMMA = 0x2c

const seedOf = (source: number): number => source >>> 0

const bytesOf = (record: string): number => Buffer.byteLength(record)
