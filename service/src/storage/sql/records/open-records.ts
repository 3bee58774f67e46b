import { reverseText } from '../../../domain/records/record-list.ts'
import type { RecordQuery } from '../../stores/records.ts'
import { damageOf } from '../damage.ts'
import type { Dialect } from '../dialect.ts'
import { bytesOf, type SqlReader, type TextBytes } from '../engine.ts'

/** Reads and checks the open records of a window. */
export async function readSpan(reader: SqlReader, query: RecordQuery): Promise<Uint8Array | null> {
  const { kind, source, from, to } = query
  const { dialect } = reader
  const rows = dialect.recordsInOrder(kind, 'record', 'source = ? and time between ? and ?')
  const sql = `select ${dialect.joined('record')} from ${rows}`
  const [found] = (await reader.row<[TextBytes]>(sql, source, from, to)) ?? []
  const text = bytesOf(found)
  reader.recordChecks.open(query, text)
  return text
}

/**
 * Reads and checks a page of the newest records, newest first. They are read in ascending order, in
 * which checksums are, and reversed: in a damaged tree the other direction can meet other records.
 */
export async function readNewestOpen(
  reader: SqlReader,
  query: RecordQuery,
  count: number,
): Promise<Uint8Array | null> {
  const text = await readSpan(reader, query)
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
export const pageSql = (dialect: Dialect, query: RecordQuery): string =>
  pageWhere(dialect, query, '')

/** The same query for the records that are newer than every sealed one. */
export const afterSealedSql = (dialect: Dialect, query: RecordQuery): string =>
  pageWhere(
    dialect,
    query,
    ` and time >= coalesce((select max(until) from ${query.kind}_sealed_parts where source = ?), time)`,
  )

function pageWhere(dialect: Dialect, { kind, newest }: RecordQuery, condition: string): string {
  const rows = (columns: string, order: 'asc' | 'desc') => `(select ${columns} from ${kind}_records
    where source = ? and time between ? and ?${condition} order by time ${order} limit ?) as page`
  return newest === undefined
    ? `select ${dialect.joined('record')}, count(*), max(time) from ${rows('record, time', 'asc')}`
    : `select null, count(*), min(time) from ${rows('time', 'desc')}`
}

type OpenPage = { records: Uint8Array | null; count: number; last: number }

/** Reads a page by one of these queries, without a check. */
export async function readOpenPage(
  reader: SqlReader,
  sql: string,
  where: readonly number[],
  limit: number,
): Promise<OpenPage> {
  const row = await reader.row<[TextBytes, number, number]>(sql, ...where, limit)
  const [records, count, last] = row ?? [null, 0, 0]
  return { records: bytesOf(records), count, last }
}
