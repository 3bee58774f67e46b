import type { RecordChecksum } from '../../../encodings/record-checksum.ts'
import type { RecordKind } from '../../storage.ts'

/** A checksum as a row of `theme_checksums` or `raw_checksums`. */
export type ChecksumRow = [
  start: number,
  last: number,
  count: number,
  length: number,
  crc: number,
  instants: number,
]

/** The last checksum of a source, and the CRC-32 of its newest record alone. */
export type Tail = RecordChecksum & { newest: number }

export type TailRow = [...ChecksumRow, newest: number]

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

/** The last one of each source lies apart: it changes with each record, and all of them are few. */
const unionSql = (kind: RecordKind, columns: string, where: string, tailWhere: string): string =>
  `select ${columns} from ${kind}_checksums where source = ? and ${where}
    union all select ${columns} from ${kind}_last_checksums where source = ? and ${tailWhere}`

/** Takes the values of `overlap`, or those of `between` from the first instant on. */
export const checksumsSql = (kind: RecordKind, columns = CHECKSUM_COLUMNS): string =>
  unionSql(
    kind,
    columns,
    `start between coalesce(
      (select max(start) from ${kind}_checksums where source = ? and start <= ?), ?) and ?`,
    'start <= ? and last >= ?',
  )

/** The values of `checksumsSql` for those that may hold records of a window. */
export const overlap = (source: number, from: number, to: number) =>
  [source, source, from, from, to, source, to, from] as const

/** The first checksum that reaches beyond an instant; takes the values of `beyond`. */
export const nextChecksumSql = (kind: RecordKind): string =>
  `${unionSql(
    kind,
    CHECKSUM_COLUMNS,
    `start >= coalesce(
      (select max(start) from ${kind}_checksums where source = ? and start <= ?), ?)
      and (start > ? or last > ?)`,
    '(start > ? or last > ?)',
  )} order by start limit 1`

export const beyond = (source: number, after: number) =>
  [source, source, after, after, after, after, source, after, after] as const
