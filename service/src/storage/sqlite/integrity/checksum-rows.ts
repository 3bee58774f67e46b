import type { RecordChecksum } from '../../../encodings/record-checksum.ts'
import type { RecordKind } from '../../stores/records.ts'

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
export type LastChecksum = RecordChecksum & { newest: number }

export type LastChecksumRow = [...ChecksumRow, newest: number]

export const CHECKSUM_COLUMNS = 'start, last, count, length, crc, instants'

export const toChecksum = ([start, last, count, length, crc, instants]: ChecksumRow) =>
  ({ start, last, count, length, crc, instants }) satisfies RecordChecksum

export const toLastChecksum = ([
  start,
  last,
  count,
  length,
  crc,
  instants,
  newest,
]: LastChecksumRow): LastChecksum => ({ start, last, count, length, crc, instants, newest })

export const fromChecksum = (sum: RecordChecksum): ChecksumRow => [
  sum.start,
  sum.last,
  sum.count,
  sum.length,
  sum.crc,
  sum.instants,
]

/** The last checksum of each source is in a small table of its own: it changes with each record. */
const unionSql = (kind: RecordKind, columns: string, where: string, lastWhere: string): string =>
  `select ${columns} from ${kind}_checksums where source = ? and ${where}
    union all select ${columns} from ${kind}_last_checksums where source = ? and ${lastWhere}`

/** The checksums that may cover records of a window; takes the values of `overlap`. */
export const checksumsSql = (kind: RecordKind, columns = CHECKSUM_COLUMNS): string =>
  unionSql(
    kind,
    columns,
    `start between coalesce(
      (select max(start) from ${kind}_checksums where source = ? and start <= ?), ?) and ?`,
    'start <= ? and last >= ?',
  )

/** The values of `checksumsSql` for a window, both ends included. */
export const overlap = (source: number, from: number, to: number) =>
  [source, source, from, from, to, source, to, from] as const

/** The first checksum that ends after an instant; takes the values of `beyond`. */
export const nextChecksumSql = (kind: RecordKind): string =>
  `${unionSql(
    kind,
    CHECKSUM_COLUMNS,
    `start >= coalesce(
      (select max(start) from ${kind}_checksums where source = ? and start <= ?), ?)
      and (start > ? or last > ?)`,
    '(start > ? or last > ?)',
  )} order by start limit 1`

/** The values of `nextChecksumSql`. */
export const beyond = (source: number, after: number) =>
  [source, source, after, after, after, after, source, after, after] as const
