import type { RecordChecksum } from '../../domain/record-checksum.ts'
import type { RecordKind } from '../storage.ts'

/** A checksum as a row of `theme_checksums` or `raw_checksums`. */
export type ChecksumRow = [
  start: number,
  last: number,
  count: number,
  length: number,
  crc: number,
  instants: number,
]

export const CHECKSUM_COLUMNS = 'start, last, count, length, crc, instants'

export const toChecksum = ([start, last, count, length, crc, instants]: ChecksumRow) =>
  ({ start, last, count, length, crc, instants }) satisfies RecordChecksum

export const fromChecksum = (sum: RecordChecksum): ChecksumRow => [
  sum.start,
  sum.last,
  sum.count,
  sum.length,
  sum.crc,
  sum.instants,
]

/** Takes a source and three of the numbers that `overlap` names: from, from and to. */
export const checksumsSql = (kind: RecordKind): string =>
  `select ${CHECKSUM_COLUMNS} from ${kind}_checksums where source = ? and start between
    coalesce((select max(start) from ${kind}_checksums where source = ? and start <= ?), ?) and ?
    order by start`

/** The values of `checksumsSql` for those that may hold records of a window. */
export const overlap = (source: number, from: number, to: number) =>
  [source, source, from, from, to] as const
