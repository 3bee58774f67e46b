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
import type { HourQuery, RecordKind } from '../../storage.ts'
import type { Statement } from '../../sql/engine.ts'

/** A sealed part as far as its records pass through as they lie. */
export type PassingPart = SealedBounds & {
  id: number
  deflated: Uint8Array
  /** Whether records that came later lie beside it. */
  isCorrected: boolean
}

/** The next part of a source: the one that holds an instant, or the first after it. */
export function findPart(
  reader: Reader,
  kind: RecordKind,
  source: number,
  instant: number,
): PassingPart | undefined {
  const row = reader.row<PassingRow>(passingSql(kind), instant, source, instant)
  if (row === undefined) return undefined
  const part = toPassing(row)
  withLocation({ kind, source }, part, () => checkBounds(part))
  return part
}

/** Where the last part before an instant ends. */
export function findEndBefore(
  reader: Reader,
  kind: RecordKind,
  source: number,
  instant: number,
): number | undefined {
  const sql = `select max(until) from ${kind}_sealed_parts where source = ? and until <= ?`
  return reader.row<[number | null]>(sql, source, instant)?.[0] ?? undefined
}

/** Everything that is kept of a part. */
export function loadPart(reader: Reader, kind: RecordKind, id: number): SealedPart {
  const sql = `select ${COLUMNS.join(', ')}, ${bytesSql(kind)} from ${kind}_sealed_parts where id = ?`
  const row = reader.row<unknown[]>(sql, id)
  if (row === undefined) throw new Error(`there is no sealed part ${id}`)
  return toPart(row)
}

/** A part without its records. */
export type PartHeader = SealedPartHeader & { id: number; isCorrected: boolean }

/** The next parts of a source that begin within a window, as `findPart` finds one. */
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

/** The last part of a source. */
export function findLastPartHeader(
  reader: Reader,
  kind: RecordKind,
  source: number,
): PartHeader | undefined {
  const sql = `${headerSql(kind)} where source = ? order by until desc limit 1`
  const row = reader.row<HeaderRow>(sql, source)
  return row && toHeader(kind, source, row)
}

/** Whether open records lie beside a part, or shall lie there by their checksums. */
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
  const [id, start, until, count, first, last, length, crc, ...kept] = row
  const [times, newest, hours, headerCrc, isCorrected] = kept
  const numbers = { id, start, until, count, first, last, length, crc, headerCrc }
  const header = { ...numbers, times, newest, hours, isCorrected: isCorrected === 1 }
  withLocation({ kind, source }, header, () => checkHeader(header))
  return header
}

/** Open records from one instant to another, both inclusive, at most so many. */
export function openRows(
  reader: Reader,
  kind: RecordKind,
  source: number,
  from: number,
  to: number,
  limit: number,
  order: 'asc' | 'desc' = 'asc',
): RecordList {
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
  const read = {
    kind,
    source,
    from: isAll || order === 'asc' ? from : times[0]!,
    to: isAll || order === 'desc' ? to : times.at(-1)!,
  }
  checkOpen(reader, read, texts.length === 0 ? null : joinRecords(texts), times)
  return { times, texts }
}

/** Adds parts; refused where one would overlap another, which somebody else added meanwhile. */
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
    Array.from({ length: Math.ceil(deflated.length / CHUNK_BYTES) }, (_, piece) => [
      source,
      start,
      piece,
      deflated.subarray(piece * CHUNK_BYTES, (piece + 1) * CHUNK_BYTES),
    ]).flat(),
  ),
})

/** Four of them fill a page of 8,192 bytes. */
const CHUNK_BYTES = 2_010

/** The compressed records of a part in one piece; none where all of it is lost. */
const bytesSql = (kind: RecordKind): string =>
  `(select coalesce(cast(group_concat(bytes, '') as blob), x'') from (select bytes from ${kind}_sealed_chunks
    where part_id = ${kind}_sealed_parts.id order by chunk))`

const FIELDS = [
  ...(['start', 'until', 'count', 'first', 'last', 'length', 'crc'] as const),
  ...(['times', 'newest', 'hours', 'headerCrc', 'deflatedCrc', 'boundsCrc'] as const),
]

/** `headerCrc` stands in the column `header_crc`. */
const COLUMNS = FIELDS.map((field) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

const toPart = (row: readonly unknown[]): SealedPart =>
  Object.fromEntries([...FIELDS, 'deflated'].map((field, at) => [field, row[at]])) as SealedPart

type PassingRow = [
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

/** Of a part that only comes later, the compressed records are left where they are. */
const passingSql = (kind: RecordKind): string =>
  `select id, start, until, first, last, length, crc, deflated_crc, bounds_crc,
      case when start <= ? then ${bytesSql(kind)} else x'' end,
      ${isCorrectedSql(kind, `${kind}_sealed_parts`)}
    from ${kind}_sealed_parts where source = ? and until > ? order by until limit 1`

function toPassing(row: PassingRow): PassingPart {
  const [id, start, until, first, last, length, crc, ...kept] = row
  const [deflatedCrc, boundsCrc, deflated, isCorrected] = kept
  const bounds = { start, until, first, last, length, crc, deflatedCrc, boundsCrc }
  return { id, ...bounds, deflated, isCorrected: isCorrected === 1 }
}

/** Says of damage where it is, for whoever has to mend it. */
export function withLocation<Result>(
  { kind, source }: { kind: RecordKind; source: number },
  { start }: { start: number },
  look: () => Result,
): Result {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    throw new DamageError(
      `the ${kind} records of source ${source} sealed from ${new Date(start).toISOString()}: ${error.message}`,
    )
  }
}
