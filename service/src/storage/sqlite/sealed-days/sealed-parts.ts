import type { Reader } from '../connection/reader.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { joinRecords, type RecordList } from '../../../domain/records/record-list.ts'
import { checkOpen } from '../integrity/check-open.ts'
import {
  checkHeader,
  checkBounds,
  type SealedPartHeader,
  type SealedBounds,
  type SealedPart,
} from '../../sealed-days/sealed-part.ts'
import type { HourQuery, RecordKind } from '../../stores/records.ts'
import type { Statement } from '../../sql/statement.ts'

/** A sealed part with the bounds and bytes that a reader passes on unchanged. */
export type DeflatedPart = SealedBounds & {
  id: number
  deflated: Uint8Array
  /** Whether the part has corrections. */
  isCorrected: boolean
}

/** The part of a source that covers an instant, or the first part after it. */
export function findPart(
  reader: Reader,
  kind: RecordKind,
  source: number,
  instant: number,
): DeflatedPart | undefined {
  const row = reader.row<DeflatedRow>(deflatedSql(kind), instant, source, instant)
  if (row === undefined) return undefined
  const part = toDeflated(row)
  withLocation({ kind, source }, part, () => checkBounds(part))
  return part
}

/** The end of the last part before an instant. */
export function findEndBefore(
  reader: Reader,
  kind: RecordKind,
  source: number,
  instant: number,
): number | undefined {
  const sql = `select max(until) from ${kind}_sealed_parts where source = ? and until <= ?`
  return reader.row<[number | null]>(sql, source, instant)?.[0] ?? undefined
}

/** Loads a whole part. */
export function loadPart(reader: Reader, kind: RecordKind, id: number): SealedPart {
  const sql = `select ${COLUMNS.join(', ')}, ${bytesSql(kind)} from ${kind}_sealed_parts where id = ?`
  const row = reader.row<PartRow>(sql, id)
  if (row === undefined) throw new Error(`there is no sealed part ${id}`)
  return toPart(row)
}

/** The header of a part, without its records. */
export type PartHeader = SealedPartHeader & { id: number; isCorrected: boolean }

/** The headers of the next parts of a source that begin within a window. */
export function findPartHeaders(
  reader: Reader,
  { kind, source, to }: Pick<HourQuery, 'kind' | 'source' | 'to'>,
  instant: number,
  limit: number,
): PartHeader[] {
  const sql = `${headerSql(kind)} where source = ? and until > ? and start <= ? order by until limit ?`
  return reader
    .rows<HeaderRow>(sql, source, instant, to, limit)
    .map((row) => toHeader(kind, source, row))
}

/** The header of the last part of a source. */
export function findLastPartHeader(
  reader: Reader,
  kind: RecordKind,
  source: number,
): PartHeader | undefined {
  const sql = `${headerSql(kind)} where source = ? order by until desc limit 1`
  const row = reader.row<HeaderRow>(sql, source)
  return row && toHeader(kind, source, row)
}

/** Whether a part has corrections, by their rows or by their checksums. */
const isCorrectedSql = (kind: RecordKind, part: string): string =>
  `exists (select 1 from ${kind}_records as open where open.source = ${part}.source
      and open.time >= ${part}.start and open.time < ${part}.until)
    or coalesce((select last from ${kind}_checksums as sums where sums.source = ${part}.source
      and sums.start < ${part}.until order by sums.start desc limit 1) >= ${part}.start, false)
    or exists (select 1 from ${kind}_last_checksums as tail where tail.source = ${part}.source
      and tail.start < ${part}.until and tail.last >= ${part}.start)`

type HeaderRow = [
  ...[number, number, number, number, number, number, number, number],
  ...[Uint8Array, string, Uint8Array, number, number],
]

const headerSql = (kind: RecordKind): string =>
  `select id, start, until, count, first, last, length, crc, times, newest, hours, header_crc,
      ${isCorrectedSql(kind, 'part')}
    from ${kind}_sealed_parts as part`

function toHeader(kind: RecordKind, source: number, row: HeaderRow): PartHeader {
  const [id, start, until, count, first, last, length, crc, ...rest] = row
  const [times, newest, hours, headerCrc, isCorrected] = rest
  const numbers = { id, start, until, count, first, last, length, crc, headerCrc }
  const header = { ...numbers, times, newest, hours, isCorrected: isCorrected === 1 }
  withLocation({ kind, source }, header, () => checkHeader(header))
  return header
}

/** Open records, whether they are all of a window, and the instants that they cover, both included. */
type OpenRows = RecordList & { isAll: boolean; from: number; to: number }

/** Reads and checks the first or, in descending order, the last open records of a window. */
export function readOpenRows(
  reader: Reader,
  kind: RecordKind,
  source: number,
  from: number,
  to: number,
  limit: number,
  order: 'asc' | 'desc' = 'asc',
): OpenRows {
  const rows = reader.rows<[time: number, record: string]>(
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
  checkOpen(reader, { kind, source, ...covered }, text, times)
  return { times, texts, isAll, ...covered }
}

/** Statements that add parts; refused where one would overlap a part that was added meanwhile. */
export const insertParts = (
  kind: RecordKind,
  source: number,
  parts: readonly SealedPart[],
): Statement[] => [insertHeaders(kind, source, parts), insertBytes(kind, source, parts)]

const insertHeaders = (
  kind: RecordKind,
  source: number,
  parts: readonly SealedPart[],
): Statement => ({
  sql: `insert into ${kind}_sealed_parts (source, ${COLUMNS.join(', ')})
        select ${['source', ...COLUMNS].map(() => '?').join(', ')}
        where not exists (select 1 from ${kind}_sealed_parts where source = ? and start < ? and until > ?)`,
  width: COLUMNS.length + 4,
  values: parts.flatMap((part) => [
    source,
    ...FIELDS.map((field) => part[field]),
    source,
    part.until,
    part.start,
  ]),
  expected: parts.length,
})

const insertBytes = (
  kind: RecordKind,
  source: number,
  parts: readonly SealedPart[],
): Statement => ({
  sql: `insert into ${kind}_sealed_chunks (part_id, chunk, bytes)
        values ((select id from ${kind}_sealed_parts where source = ? and start = ?), ?, ?)`,
  width: 4,
  values: parts.flatMap(({ start, deflated }) =>
    Array.from({ length: Math.ceil(deflated.length / CHUNK_BYTES) }, (_, chunk) => [
      source,
      start,
      chunk,
      deflated.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES),
    ]).flat(),
  ),
})

/** Four chunks fill a page of 8,192 bytes. */
const CHUNK_BYTES = 2_010

/** The compressed records of a part, joined; empty where every chunk is lost. */
const bytesSql = (kind: RecordKind): string =>
  `(select coalesce(cast(group_concat(bytes, '') as blob), x'') from (select bytes from ${kind}_sealed_chunks
    where part_id = ${kind}_sealed_parts.id order by chunk))`

const FIELDS = [
  ...(['start', 'until', 'count', 'first', 'last', 'length', 'crc'] as const),
  ...(['times', 'newest', 'hours', 'headerCrc', 'deflatedCrc', 'boundsCrc'] as const),
]

/** The columns of the fields: `headerCrc` is in `header_crc`. */
const COLUMNS = FIELDS.map((field) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

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

type DeflatedRow = [
  id: number,
  start: number,
  until: number,
  first: number,
  last: number,
  length: number,
  crc: number,
  deflatedCrc: number,
  boundsCrc: number,
  deflated: Uint8Array,
  isCorrected: number,
]

/** Reads the compressed records only of a part that starts at the instant or before it. */
const deflatedSql = (kind: RecordKind): string =>
  `select id, start, until, first, last, length, crc, deflated_crc, bounds_crc,
      case when start <= ? then ${bytesSql(kind)} else x'' end,
      ${isCorrectedSql(kind, `${kind}_sealed_parts`)}
    from ${kind}_sealed_parts where source = ? and until > ? order by until limit 1`

function toDeflated(row: DeflatedRow): DeflatedPart {
  const [id, start, until, first, last, length, crc, ...rest] = row
  const [deflatedCrc, boundsCrc, deflated, isCorrected] = rest
  const bounds = { start, until, first, last, length, crc, deflatedCrc, boundsCrc }
  return { id, ...bounds, deflated, isCorrected: isCorrected === 1 }
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
