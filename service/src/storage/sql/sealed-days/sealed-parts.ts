import type { SqlReader } from '../engine.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { joinRecords, type RecordList } from '../../../domain/records/record-list.ts'
import {
  checkHeader,
  checkBounds,
  type SealedPartHeader,
  type SealedBounds,
  type SealedPart,
} from '../../sealed-days/sealed-part.ts'
import type { Dialect } from '../dialect.ts'
import type { HourQuery, RecordKind } from '../../stores/records.ts'
import type { Statement } from '../statement.ts'

/** A sealed part with the bounds and bytes that a reader passes on unchanged. */
export type DeflatedPart = SealedBounds & {
  id: number
  deflated: Uint8Array
  /** Whether the part has corrections. */
  isCorrected: boolean
}

/** The part of a source that covers an instant, or the first part after it. */
export async function findPart(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  instant: number,
): Promise<DeflatedPart | undefined> {
  const sql = deflatedSql(reader.dialect, kind)
  const row = await reader.row<DeflatedRow>(sql, instant, source, source, instant)
  return row && toCheckedPart({ kind, source }, row)
}

/** The part of a row, once its bounds are checked. */
export function toCheckedPart(
  of: { kind: RecordKind; source: number },
  row: DeflatedRow,
): DeflatedPart {
  const part = toDeflated(row)
  withLocation(of, part, () => checkBounds(part))
  return part
}

/** The end of the last part before an instant. */
export async function findEndBefore(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  instant: number,
): Promise<number | undefined> {
  const sql = `select max(until) from ${kind}_sealed_parts where source = ? and until <= ?`
  return (await reader.row<[number | null]>(sql, source, instant))?.[0] ?? undefined
}

/** Loads a whole part. */
export async function loadPart(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  id: number,
): Promise<SealedPart> {
  const sql = `${partSql(reader.dialect, kind)} where id = ? and source = ?`
  const row = await reader.row<PartRow>(sql, id, source)
  if (row === undefined) throw new Error(`there is no sealed part ${id}`)
  return toPart(row)
}

const PARTS_AT_ONCE = 50

/** Yields all parts of a source in the order of their instants. */
export async function* readParts(
  reader: Pick<SqlReader, 'dialect' | 'rows'>,
  kind: RecordKind,
  source: number,
): AsyncGenerator<SealedPart> {
  const sql = `${partSql(reader.dialect, kind)} where source = ? and until > ? order by until limit ?`
  let after = Number.MIN_SAFE_INTEGER
  while (true) {
    const rows = await reader.rows<PartRow>(sql, source, after, PARTS_AT_ONCE)
    const parts = rows.map(toPart)
    yield* parts
    const last = parts.at(-1)
    if (last === undefined || parts.length < PARTS_AT_ONCE) return
    after = last.until
  }
}

/** Deletes a part. */
export const dropPart = (kind: RecordKind, source: number, id: number): Statement => ({
  sql: `delete from ${kind}_sealed_parts where id = ? and source = ?`,
  width: 2,
  values: [id, source],
})

/** The header of a part, without its records. */
export type PartHeader = SealedPartHeader & { id: number; isCorrected: boolean }

/** The headers of the next parts of a source that begin within a window. */
export async function findPartHeaders(
  reader: SqlReader,
  { kind, source, to }: Pick<HourQuery, 'kind' | 'source' | 'to'>,
  instant: number,
  limit: number,
): Promise<PartHeader[]> {
  const sql = `${headerSql(reader.dialect, kind)}
    where source = ? and until > ? and start <= ? order by until limit ?`
  const rows = await reader.rows<HeaderRow>(sql, source, source, instant, to, limit)
  return rows.map((row) => toHeader(kind, source, row))
}

/** The header of the last part of a source. */
export async function findLastPartHeader(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
): Promise<PartHeader | undefined> {
  const sql = `${headerSql(reader.dialect, kind)} where source = ? order by until desc limit 1`
  const row = await reader.row<HeaderRow>(sql, source, source)
  return row && toHeader(kind, source, row)
}

type HeaderRow = [
  ...[number, number, number, number, number, number, number, number],
  ...[Uint8Array, string, Uint8Array, number, number],
]

const headerSql = (dialect: Dialect, kind: RecordKind): string =>
  `select id, start, until, count, first, last, length, crc, times, newest, hours, header_crc,
      ${dialect.isCorrected(kind, 'part')}
    from ${kind}_sealed_parts as part`

function toHeader(kind: RecordKind, source: number, row: HeaderRow): PartHeader {
  const [id, start, until, count, first, last, length, crc, ...rest] = row
  const [times, newest, hours, headerCrc, isCorrected] = rest
  const numbers = { id, start, until, count, first, last, length, crc, headerCrc }
  const header = { ...numbers, times, newest, hours, isCorrected: isCorrected === 1 }
  withLocation({ kind, source }, header, () => checkHeader(header))
  return header
}

/**
 * Open records, also joined, whether they are all of a window, and the instants that they cover, both
 * included.
 */
export type OpenRows = RecordList & {
  text: Uint8Array | null
  isAll: boolean
  from: number
  to: number
}

/** Reads and checks the first or, in descending order, the last open records of a window. */
export async function readOpenRows(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  from: number,
  to: number,
  limit: number,
  order: 'asc' | 'desc' = 'asc',
): Promise<OpenRows> {
  const rows = await reader.rows<[time: number, record: string]>(
    `select time, record from ${kind}_records
      where source = ? and time between ? and ? order by time ${order} limit ?`,
    source,
    from,
    to,
    limit,
  )
  if (order === 'desc') rows.reverse()
  const times = rows.map(([time]) => time)
  const texts = rows.map(([, record]) => Buffer.from(record))
  const isAll = rows.length < limit
  const covered = {
    from: isAll || order === 'asc' ? from : (times[0] ?? from),
    to: isAll || order === 'desc' ? to : (times.at(-1) ?? to),
  }
  const text = texts.length === 0 ? null : joinRecords(texts)
  reader.recordChecks.open({ kind, source, ...covered }, text, times)
  return { times, texts, text, isAll, ...covered }
}

/** Statements that add parts; refused where one would overlap a part that was added meanwhile. */
export function insertParts(
  { insertSealedBytes }: Dialect,
  kind: RecordKind,
  source: number,
  parts: readonly SealedPart[],
): Statement[] {
  if (insertSealedBytes === undefined)
    return [insertRows(kind, source, parts, [...FIELDS, 'deflated'])]
  return [insertRows(kind, source, parts, FIELDS), insertSealedBytes(kind, source, parts)]
}

function insertRows(
  kind: RecordKind,
  source: number,
  parts: readonly SealedPart[],
  fields: readonly (keyof SealedPart)[],
): Statement {
  const columns = ['source', ...fields.map(columnOf)]
  return {
    sql: `insert into ${kind}_sealed_parts (${columns.join(', ')})
        select ${columns.map(() => '?').join(', ')}
        where not exists (select 1 from ${kind}_sealed_parts where source = ? and start < ? and until > ?)`,
    width: columns.length + 3,
    values: parts.flatMap((part) => [
      source,
      ...fields.map((field) => part[field]),
      source,
      part.until,
      part.start,
    ]),
    expected: parts.length,
  }
}

const NO_BYTES = new Uint8Array()

const FIELDS = [
  ...(['start', 'until', 'count', 'first', 'last', 'length', 'crc'] as const),
  ...(['times', 'newest', 'hours', 'headerCrc', 'deflatedCrc', 'boundsCrc'] as const),
]

/** The column of a field: `headerCrc` is in `header_crc`. */
const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const COLUMNS = FIELDS.map(columnOf)

const partSql = (dialect: Dialect, kind: RecordKind): string =>
  `select ${COLUMNS.join(', ')}, ${dialect.sealedBytes(kind)} from ${kind}_sealed_parts`

/** The fields in the order of `FIELDS`, then the compressed records. */
type PartRow = [
  start: number,
  until: number,
  count: number,
  first: number,
  last: number,
  length: number,
  crc: number,
  times: Uint8Array,
  newest: string,
  hours: Uint8Array,
  headerCrc: number,
  deflatedCrc: number,
  boundsCrc: number,
  deflated: Uint8Array,
]

function toPart(row: PartRow): SealedPart {
  const [start, until, count, first, last, length, crc, ...rest] = row
  const [times, newest, hours, headerCrc, deflatedCrc, boundsCrc, deflated] = rest
  const numbers = { start, until, count, first, last, length, crc }
  return { ...numbers, times, newest, hours, headerCrc, deflatedCrc, boundsCrc, deflated }
}

/** The columns of `deflatedColumns`. */
export type DeflatedRow = [
  id: number,
  start: number,
  until: number,
  first: number,
  last: number,
  length: number,
  crc: number,
  deflatedCrc: number,
  boundsCrc: number,
  deflated: Uint8Array | null,
  isCorrected: number,
]

/** With the compressed records only of a part that starts at the instant, the parameter, or before it. */
export const deflatedColumns = (dialect: Dialect, kind: RecordKind): string =>
  `id, start, until, first, last, length, crc, deflated_crc, bounds_crc,
    case when start <= ? then ${dialect.sealedBytes(kind)} end as deflated,
    ${dialect.isCorrected(kind, `${kind}_sealed_parts`)} as is_corrected`

const deflatedSql = (dialect: Dialect, kind: RecordKind): string =>
  `select ${deflatedColumns(dialect, kind)}
    from ${kind}_sealed_parts where source = ? and until > ? order by until limit 1`

function toDeflated(row: DeflatedRow): DeflatedPart {
  const [id, start, until, first, last, length, crc, ...rest] = row
  const [deflatedCrc, boundsCrc, deflated, isCorrected] = rest
  const bounds = { start, until, first, last, length, crc, deflatedCrc, boundsCrc }
  return { id, ...bounds, deflated: deflated ?? NO_BYTES, isCorrected: isCorrected === 1 }
}

/** Adds the place of a part to a `DamageError` of `read`. */
export function withLocation<Result>(
  { kind, source }: { kind: RecordKind; source: number },
  { start }: { start: number },
  read: () => Result,
): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    throw new DamageError(
      `the ${kind} records of source ${source} sealed from ${new Date(start).toISOString()}: ${error.message}`,
    )
  }
}
