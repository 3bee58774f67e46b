import {
  joinRecords,
  reverseRecords,
  type RecordList,
} from '../../../domain/records/record-list.ts'
import type { RecordQuery } from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
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
  reader: SqlReader,
  query: RecordQuery,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const { source } = query
  // Mostly all records of the query are newer than the last sealed day.
  const only = limit === 1 ? reader.recordChecks.newestOpen(query) : undefined
  if (only !== undefined) {
    yield shape(only, query)
    return
  }
  const { page, sealed } = await reader.snapshot(async (one) => {
    const where = [source, query.from, query.to, source]
    const wanted = Math.min(limit, PAGE_RECORDS)
    const found = await readOpenPage(one, afterSealedSql(one.dialect, query), where, wanted)
    if (found.count > 0) {
      const records = await readNewestOpen(one, { ...query, from: found.last }, found.count)
      return { page: { ...found, records } }
    }
    // Without such a record, the newest sealed one can be the newest of all.
    const sealed = limit === 1 ? await findNewestSealed(one, query) : undefined
    return { page: found, sealed }
  })
  if (page.records !== null) yield shape(page.records, query)
  if (sealed !== undefined) {
    yield shape(Buffer.from(sealed.newest), query)
    return
  }
  let left = limit - page.count
  let position = page.count > 0 ? page.last - 1 : query.to
  while (left > 0 && position >= query.from) {
    const [end, rest] = [position, left]
    const step = await reader.snapshot((one) => previousStep(one, query, end, rest))
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

/** The last sealed part, where its last record is the newest of the window. */
async function findNewestSealed(
  reader: SqlReader,
  query: RecordQuery,
): Promise<PartHeader | undefined> {
  const last = await findLastPartHeader(reader, query.kind, query.source)
  const from = Math.max(query.from, last?.until ?? query.from)
  await readSpan(reader, { ...query, from })
  const isNewest =
    last !== undefined && !last.isCorrected && last.last >= query.from && last.last <= query.to
  return isNewest ? last : undefined
}

async function previousStep(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
  left: number,
): Promise<DescendingStep> {
  const { kind, source } = query
  const [part] = await findPartHeaders(reader, { kind, source, to: position }, position, 1)
  if (part === undefined) {
    const end = await findEndBefore(reader, kind, source, position)
    const from = Math.max(query.from, end ?? query.from)
    const wanted = Math.min(left, PAGE_RECORDS)
    const sql = pageSql(reader.dialect, query)
    const page = await readOpenPage(reader, sql, [source, from, position], wanted)
    const { count, last } = page
    const start = count < wanted ? from : last
    const records = await readNewestOpen(reader, { ...query, from: start, to: position }, count)
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
    ? await readOpenRows(reader, kind, source, start, position, PAGE_RECORDS, 'desc')
    : { times: [], texts: [], from: start }
  return {
    type: 'cut part',
    part: await loadPart(reader, kind, source, part.id),
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
