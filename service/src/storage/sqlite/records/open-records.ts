import { reverseText } from '../../../domain/records/record-list.ts'
import type { RecordQuery } from '../../storage.ts'
import { checkOpen, damageOf } from '../integrity/check-open.ts'
import type { Reader } from '../connection/reader.ts'

/** All records of a window, in the order of the key, which is that of time. */
const spanSql = ({ kind }: RecordQuery): string =>
  `select cast(group_concat(record) as blob) from ${kind}_records
    where source = ? and time between ? and ?`

/** The open records of a window, checked. */
export function readSpan(reader: Reader, query: RecordQuery): Uint8Array | null {
  const { source, from, to } = query
  const [text] = reader.row<[Uint8Array | null]>(spanSql(query), source, from, to) ?? [null]
  checkOpen(reader, query, text)
  return text
}

/**
 * A page of the newest records, checked. A checksum is of their own order, and in a damaged tree the
 * other direction may meet other records: so they are read forwards, and turned round.
 */
export function newestOf(reader: Reader, query: RecordQuery, count: number): Uint8Array | null {
  const text = readSpan(reader, query)
  if (text === null || count === 1) return text
  const reversed = reverseText(text)
  const { from: start, to: last } = query
  if (reversed.count !== count) throw damageOf(query, { start, last })
  return reversed.text
}

/**
 * One row: the records joined by commas where they are read forwards, how many there are, and the
 * last one's instant.
 */
export const pageSql = (query: RecordQuery): string => pageWhere(query, 'true')

/** The same of those records only that are newer than everything sealed. */
export const afterSealedSql = (query: RecordQuery): string =>
  pageWhere(
    query,
    `time >= coalesce((select max(until) from ${query.kind}_sealed_parts where source = ?), time)`,
  )

function pageWhere({ kind, newest }: RecordQuery, condition: string): string {
  const rows = (columns: string, order: 'asc' | 'desc') => `(select ${columns} from ${kind}_records
    where source = ? and time between ? and ? and ${condition} order by time ${order} limit ?)`
  return newest === undefined
    ? `select cast(group_concat(record) as blob), count(*), max(time)
        from ${rows('record, time', 'asc')}`
    : `select null, count(*), min(time) from ${rows('time', 'desc')}`
}

type Page = { records: Uint8Array | null; count: number; last: number }

/** Reads a page by one of these statements; what is read of it forwards is not checked yet. */
export function openPage(
  reader: Reader,
  sql: string,
  where: readonly number[],
  limit: number,
): Page {
  const row = reader.row<[Uint8Array | null, number, number]>(sql, ...where, limit)
  const [records, count, last] = row ?? [null, 0, 0]
  return { records, count, last }
}
