import type { Reader } from '../connection/reader.ts'
import { checkOpen } from '../integrity/check-open.ts'
import { afterSealedSql, newestOf, openPage, pageSql, readSpan } from './open-records.ts'
import {
  dayCountsSql,
  DAYS_AT_ONCE,
  daysOf,
  endOfDay,
  planSpans,
  type DayCount,
} from './record-days.ts'
import {
  withLocation,
  findPartHeaders,
  findLastPartHeader,
  findEndBefore,
  findPart,
  loadPart,
  openRows,
  type PartHeader,
  type PassingPart,
} from '../sealed-days/sealed-parts.ts'
import {
  cutRecords,
  joinRecords,
  mergeRecords,
  nestRecords,
  reverseRecords,
  type RecordList,
} from '../../../domain/records/record-list.ts'
import { crcOf } from '../../../encodings/record-checksum.ts'
import {
  checkDeflated,
  inflatePart,
  openPart,
  type SealedPart,
} from '../../sealed-days/sealed-part.ts'
import type { RecordQuery as PortQuery, RecordsChunk } from '../../storage.ts'

type RecordQuery = PortQuery & { mayBeDeflated: boolean }

/** Records of one read: a page is some 150 KB, and its transaction takes some 0.2 ms. */
const PAGE_RECORDS = 2_000

/** What one look at the data gives, and the instant at which the next one goes on. */
type Step = (OpenRecords | WholePart | CutPart) & { next: number }
type OpenRecords = { of: 'open'; records: Uint8Array | null; count: number }
type WholePart = { of: 'whole part'; part: PassingPart }
type CutPart = { of: 'cut part'; part: SealedPart; rows: RecordList; from: number; to: number }

/**
 * Reads the records of a source, sealed and open ones, oldest first.
 *
 * Each step looks at one moment of the data, and what it passes over is never looked at again: so
 * a day that is sealed or opened meanwhile is seen once, as the one or as the other.
 */
export async function* readAscending(
  reader: Reader,
  query: RecordQuery,
): AsyncGenerator<RecordsChunk> {
  let position = query.from
  while (position <= query.to) {
    const step =
      (query.mayBeDeflated ? wholePartStep(reader, query, position) : undefined) ??
      reader.snapshot(() => ascendingStep(reader, query, position))
    const piece = chunkOf(step, query)
    if (piece !== undefined) yield piece
    position = step.next
  }
}

/** The newest records of a source, newest first. */
export async function* readNewest(
  reader: Reader,
  query: RecordQuery,
  limit: number,
): AsyncGenerator<RecordsChunk> {
  const { source } = query
  // Mostly all that is asked for has come since the last day that was sealed.
  const alone = limit === 1 ? findNewestOpen(reader, query) : undefined
  if (alone !== undefined) {
    yield shape(alone, query)
    return
  }
  const { page, sealed } = reader.snapshot(() => {
    const where = [source, query.from, query.to, source]
    const page = openPage(reader, afterSealedSql(query), where, Math.min(limit, PAGE_RECORDS))
    if (page.count > 0) {
      const records = newestOf(reader, { ...query, from: page.last }, page.count)
      return { page: { ...page, records } }
    }
    // Or it is the last that was sealed: no record lies above it, or the page would have it.
    return { page, sealed: limit === 1 ? findNewestSealed(reader, query) : undefined }
  })
  if (page.records !== null) yield shape(page.records, query)
  if (sealed !== undefined) {
    yield shape(Buffer.from(sealed.newest), query)
    return
  }
  let left = limit - page.count
  let position = page.count > 0 ? page.last - 1 : query.to
  while (left > 0 && position >= query.from) {
    const step = reader.snapshot(() => descendingStep(reader, query, position, left))
    position = step.next
    if (step.of === 'open') {
      if (step.records !== null) yield step.records
      left -= step.count
      continue
    }
    const wanted = cutNewest(recordsOf(step, query), left)
    left -= wanted.texts.length
    if (wanted.texts.length > 0) yield shape(joinRecords(reverseRecords(wanted).texts), query)
  }
}

/** The newest record where it is open and what the tail of its source knows it by. */
function findNewestOpen(
  reader: Reader,
  { kind, source, from, to }: RecordQuery,
): Buffer | undefined {
  const sql = `select cast(open.record as blob), tail.newest from ${kind}_last_checksums as tail
    join ${kind}_records as open on open.source = tail.source and open.time = tail.last
    where tail.source = ? and tail.last between ? and ?
      and tail.last >= coalesce((select max(until) from ${kind}_sealed_parts where source = ?), tail.last)
      and not exists (select 1 from ${kind}_records as later
        where later.source = tail.source and later.time > tail.last and later.time <= ?)`
  const [record, newest] = reader.row<[Buffer, number]>(sql, source, from, to, source, to) ?? []
  return record !== undefined && crcOf(source, record) === newest ? record : undefined
}

/** The last sealed part where its last record is the newest of the window. */
function findNewestSealed(reader: Reader, query: RecordQuery): PartHeader | undefined {
  const last = findLastPartHeader(reader, query.kind, query.source)
  const from = Math.max(query.from, last?.until ?? query.from)
  readSpan(reader, { ...query, from })
  const isNewest =
    last !== undefined && !last.isCorrected && last.last >= query.from && last.last <= query.to
  return isNewest ? last : undefined
}

/** The step that is nearly always right over sealed days: one statement sees one moment anyway. */
function wholePartStep(reader: Reader, query: RecordQuery, position: number): Step | undefined {
  const { kind, source, from, to } = query
  const part = findPart(reader, kind, source, position)
  if (part === undefined || part.isCorrected) return undefined
  const isWhole = from <= part.first && part.start <= position && position <= part.first
  return isWhole && to >= part.last ? { of: 'whole part', part, next: part.until } : undefined
}

function ascendingStep(reader: Reader, query: RecordQuery, position: number): Step {
  const { kind, source, from, to } = query
  const part = findPart(reader, kind, source, position)
  if (part === undefined || part.start > position) {
    const end = part === undefined ? to : Math.min(to, part.start - 1)
    return openStep(reader, query, position, end)
  }
  if (!part.isCorrected) {
    const next = part.until
    if (part.first > to || part.last < position)
      return { of: 'open', records: null, count: 0, next }
    if (from <= part.first && position <= part.first && to >= part.last)
      return { of: 'whole part', part, next }
  }
  const end = Math.min(to, part.until - 1)
  const rows = openRows(reader, kind, source, position, end, PAGE_RECORDS)
  const isAll = rows.texts.length < PAGE_RECORDS
  const last = isAll ? end : rows.times[rows.times.length - 1]!
  return {
    of: 'cut part',
    part: loadPart(reader, kind, part.id),
    rows,
    from: position,
    to: last,
    next: isAll ? part.until : last + 1,
  }
}

/** Open records: as many days as make a page, or a page of a day that has more. */
function openStep(reader: Reader, query: RecordQuery, from: number, to: number): Step {
  const { kind, source } = query
  const days = reader.rows<DayCount>(dayCountsSql(kind), source, ...daysOf(from, to))
  const reach = days.length < DAYS_AT_ONCE ? to : Math.min(to, endOfDay(days.at(-1)![0]))
  const [span] = planSpans(from, reach, days, PAGE_RECORDS)
  if (span === undefined) return { of: 'open', records: null, count: 0, next: reach + 1 }
  if (span.isDense) {
    const page = openPage(reader, pageSql(query), [source, span.from, span.to], PAGE_RECORDS)
    const { records, count, last } = page
    const end = count < PAGE_RECORDS ? span.to : last
    checkOpen(reader, { ...query, from: span.from, to: end }, records)
    return { of: 'open', records: shapeOpen(records, query), count, next: end + 1 }
  }
  const records = readSpan(reader, { ...query, from: span.from, to: span.to })
  return { of: 'open', records: shapeOpen(records, query), count: 0, next: span.to + 1 }
}

function descendingStep(
  reader: Reader,
  query: RecordQuery,
  position: number,
  left: number,
): (OpenRecords | CutPart) & { next: number } {
  const { kind, source } = query
  const [part] = findPartHeaders(reader, { kind, source, to: position }, position, 1)
  if (part === undefined) {
    const end = findEndBefore(reader, kind, source, position)
    const from = Math.max(query.from, end ?? query.from)
    const wanted = Math.min(left, PAGE_RECORDS)
    const page = openPage(reader, pageSql(query), [source, from, position], wanted)
    const { count, last } = page
    const start = count < wanted ? from : last
    const records = newestOf(reader, { ...query, from: start, to: position }, count)
    return { of: 'open', records: shapeOpen(records, query), count, next: start - 1 }
  }
  const start = Math.max(query.from, part.start)
  const isNewest = !part.isCorrected && position >= part.last && start <= part.last
  if (left === 1 && isNewest) return newestStep(query, part)
  const rows = part.isCorrected
    ? openRows(reader, kind, source, start, position, PAGE_RECORDS, 'desc')
    : { times: [], texts: [] }
  const isAll = rows.texts.length < PAGE_RECORDS
  const from = isAll ? start : rows.times[0]!
  return {
    of: 'cut part',
    part: loadPart(reader, kind, part.id),
    rows,
    from,
    to: position,
    next: from - 1,
  }
}

/** The newest record alone stands beside the others: nothing has to be inflated for it. */
function newestStep(query: RecordQuery, part: PartHeader) {
  const records = shape(Buffer.from(part.newest), query)
  return { of: 'open', records, count: 1, next: part.start - 1 } as const
}

function chunkOf(step: Step, query: RecordQuery): RecordsChunk | undefined {
  if (step.of === 'open') return step.records ?? undefined
  if (step.of === 'cut part') {
    const { texts } = recordsOf(step, query)
    return texts.length === 0 ? undefined : shape(joinRecords(texts), query)
  }
  const { part } = step
  const { deflated, length, crc } = part
  withLocation(query, part, () => checkDeflated(part))
  return query.mayBeDeflated ? { deflated, length, crc } : shape(inflatePart(part), query)
}

const recordsOf = ({ part, rows, from, to }: CutPart, query: RecordQuery): RecordList =>
  mergeRecords(
    cutRecords(
      withLocation(query, part, () => openPart(part)),
      from,
      to,
    ),
    rows,
  )

const cutNewest = ({ times, texts }: RecordList, count: number): RecordList => ({
  times: Array.prototype.slice.call(times, -count),
  texts: texts.slice(-count),
})

const shape = (text: Uint8Array, query: RecordQuery): Uint8Array =>
  query.shape === 'nested' ? nestRecords(text) : text

const shapeOpen = (text: Uint8Array | null, query: RecordQuery): Uint8Array | null =>
  text === null ? null : shape(text, query)
