import {
  joinRecords,
  reverseRecords,
  type RecordList,
} from '../../../domain/records/record-list.ts'
import { crcOf } from '../../../encodings/record-checksum.ts'
import type { RecordQuery } from '../../stores/records.ts'
import type { Reader } from '../connection/reader.ts'
import {
  findEndBefore,
  findLastPartHeader,
  findPartHeaders,
  loadPart,
  readOpenRows,
  type PartHeader,
} from '../sealed-days/sealed-parts.ts'
import { afterSealedSql, pageSql, readNewestOpen, readOpenPage, readSpan } from './open-records.ts'
import {
  PAGE_RECORDS,
  recordsOf,
  shape,
  shapeOpen,
  type CutPart,
  type OpenRecords,
  type ReadStep,
} from './read-steps.ts'

type DescendingStep = ReadStep<OpenRecords | CutPart>

/** Reads the newest records of a source, newest first. */
export async function* readNewest(
  reader: Reader,
  query: RecordQuery,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const { source } = query
  // Mostly all records of the query are newer than the last sealed day.
  const only = limit === 1 ? findNewestOpen(reader, query) : undefined
  if (only !== undefined) {
    yield shape(only, query)
    return
  }
  const { page, sealed } = reader.snapshot(() => {
    const where = [source, query.from, query.to, source]
    const found = readOpenPage(reader, afterSealedSql(query), where, Math.min(limit, PAGE_RECORDS))
    if (found.count > 0) {
      const records = readNewestOpen(reader, { ...query, from: found.last }, found.count)
      return { page: { ...found, records } }
    }
    // Without such a record, the newest sealed one can be the newest of all.
    return { page: found, sealed: limit === 1 ? findNewestSealed(reader, query) : undefined }
  })
  if (page.records !== null) yield shape(page.records, query)
  if (sealed !== undefined) {
    yield shape(Buffer.from(sealed.newest), query)
    return
  }
  let left = limit - page.count
  let position = page.count > 0 ? page.last - 1 : query.to
  while (left > 0 && position >= query.from) {
    const step = reader.snapshot(() => previousStep(reader, query, position, left))
    position = step.next
    if (step.type === 'open') {
      if (step.records !== null) yield step.records
      left -= step.count
      continue
    }
    const wanted = cutNewest(recordsOf(step, query), left)
    left -= wanted.texts.length
    if (wanted.texts.length > 0) yield shape(joinRecords(reverseRecords(wanted).texts), query)
  }
}

/** The newest record, where it is open and has the CRC-32 that its last checksum names. */
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

/** The last sealed part, where its last record is the newest of the window. */
function findNewestSealed(reader: Reader, query: RecordQuery): PartHeader | undefined {
  const last = findLastPartHeader(reader, query.kind, query.source)
  const from = Math.max(query.from, last?.until ?? query.from)
  readSpan(reader, { ...query, from })
  const isNewest =
    last !== undefined && !last.isCorrected && last.last >= query.from && last.last <= query.to
  return isNewest ? last : undefined
}

function previousStep(
  reader: Reader,
  query: RecordQuery,
  position: number,
  left: number,
): DescendingStep {
  const { kind, source } = query
  const [part] = findPartHeaders(reader, { kind, source, to: position }, position, 1)
  if (part === undefined) {
    const end = findEndBefore(reader, kind, source, position)
    const from = Math.max(query.from, end ?? query.from)
    const wanted = Math.min(left, PAGE_RECORDS)
    const page = readOpenPage(reader, pageSql(query), [source, from, position], wanted)
    const { count, last } = page
    const start = count < wanted ? from : last
    const records = readNewestOpen(reader, { ...query, from: start, to: position }, count)
    return { type: 'open', records: shapeOpen(records, query), count, next: start - 1 }
  }
  const start = Math.max(query.from, part.start)
  const isNewest = !part.isCorrected && position >= part.last && start <= part.last
  if (left === 1 && isNewest) {
    // The header has the newest record: nothing is inflated for it.
    const records = shape(Buffer.from(part.newest), query)
    return { type: 'open', records, count: 1, next: part.start - 1 }
  }
  const rows = part.isCorrected
    ? readOpenRows(reader, kind, source, start, position, PAGE_RECORDS, 'desc')
    : { times: [], texts: [], from: start }
  return {
    type: 'cut part',
    part: loadPart(reader, kind, part.id),
    rows,
    from: rows.from,
    to: position,
    next: rows.from - 1,
  }
}

const cutNewest = ({ times, texts }: RecordList, count: number): RecordList => ({
  times: Array.from(times).slice(-count),
  texts: texts.slice(-count),
})
