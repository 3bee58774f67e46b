import { reverseText } from '../../../domain/records/record-list.ts'
import type { RecordQuery } from '../../stores/records.ts'
import { checkOpen, damageOf } from '../integrity/check-open.ts'
import type { Reader } from '../connection/reader.ts'

/** All records of a window, in the order of the primary key, which is that of time. */
const spanSql = ({ kind }: RecordQuery): string =>
  `select cast(group_concat(record) as blob) from ${kind}_records
    where source = ? and time between ? and ?`

/** Reads and checks the open records of a window. */
export function readSpan(reader: Reader, query: RecordQuery): Uint8Array | null {
  const { source, from, to } = query
  const [text] = reader.row<[Uint8Array | null]>(spanSql(query), source, from, to) ?? [null]
  checkOpen(reader, query, text)
  return text
}

/**
 * Reads and checks a page of the newest records, newest first. They are read in ascending order, in
 * which checksums are, and reversed: in a damaged tree the other direction can meet other records.
 */
export function readNewestOpen(
  reader: Reader,
  query: RecordQuery,
  count: number,
): Uint8Array | null {
  const text = readSpan(reader, query)
  if (text === null || count === 1) return text
  const reversed = reverseText(text)
  const { from: start, to: last } = query
  if (reversed.count !== count) throw damageOf(query, { start, last })
  return reversed.text
}

/**
 * A query for one row: the joined records if they are read in ascending order, their number, and the
 * instant of the last one.
 */
export const pageSql = (query: RecordQuery): string => pageWhere(query, 'true')

/** The same query for the records that are newer than every sealed one. */
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

type OpenPage = { records: Uint8Array | null; count: number; last: number }

/** Reads a page by one of these queries, without a check. */
export function readOpenPage(
  reader: Reader,
  sql: string,
  where: readonly number[],
  limit: number,
): OpenPage {
  const row = reader.row<[Uint8Array | null, number, number]>(sql, ...where, limit)
  const [records, count, last] = row ?? [null, 0, 0]
  return { records, count, last }
}
