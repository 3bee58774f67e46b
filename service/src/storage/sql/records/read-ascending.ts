import { joinRecords } from '../../../domain/records/record-list.ts'
import type { DayCount } from '../../../domain/retention/retention-share.ts'
import { checkDeflated, inflatePart } from '../../sealed-days/sealed-part.ts'
import type { DeflatedText, RecordQuery, RecordsChunk } from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import {
  findPart,
  loadPart,
  readOpenRows,
  withLocation,
  type DeflatedPart,
} from '../sealed-days/sealed-parts.ts'
import { findInOne } from './read-in-one.ts'
import { pageSql, readOpenPage, readSpan } from './open-records.ts'
import { dayCountsSql, DAYS_AT_ONCE, daysOf, endOfDay, planSpans } from './record-days.ts'
import {
  PAGE_RECORDS,
  recordsOf,
  shape,
  shapeOpen,
  type CutPart,
  type OpenRecords,
  type ReadStep,
  type WholePart,
} from './read-steps.ts'

type AscendingStep = ReadStep<OpenRecords | WholePart | CutPart>

/** Reads the records of a source as text, sealed and open ones, oldest first. */
export const readAscending = (reader: SqlReader, query: RecordQuery): AsyncGenerator<Uint8Array> =>
  readSteps(
    (position) => stepAt(reader, query, position),
    query,
    (part) => shape(inflatePart(part), query),
  )

/** The same in flat shape, with whole sealed parts in their compressed bytes. */
export const readDeflated = (reader: SqlReader, query: RecordQuery): AsyncGenerator<RecordsChunk> =>
  readSteps(
    async (position) =>
      (reader.dialect.isRemote ? undefined : await wholePartStep(reader, query, position)) ??
      stepAt(reader, query, position),
    query,
    ({ deflated, length, crc }): DeflatedText => ({ deflated, length, crc }),
  )

/**
 * Each step reads one state of the data and passes over its instants for good: a day that is sealed
 * or unsealed meanwhile is read once, as the one or the other.
 */
async function* readSteps<Chunk>(
  readStep: (position: number) => Promise<AscendingStep>,
  query: RecordQuery,
  fromPart: (part: DeflatedPart) => Chunk,
): AsyncGenerator<Chunk | Uint8Array> {
  for (let position = query.from; position <= query.to;) {
    const step = await readStep(position)
    if (step.type === 'whole part') {
      const { part } = step
      withLocation(query, part, () => checkDeflated(part))
      yield fromPart(part)
    } else if (step.type === 'cut part') {
      const { texts } = recordsOf(step, query)
      if (texts.length > 0) yield shape(joinRecords(texts), query)
    } else if (step.records !== null) yield step.records
    position = step.next
  }
}

/** The step at an instant: by one statement where that is enough, else from one state of the data. */
async function stepAt(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
): Promise<AscendingStep> {
  if (reader.dialect.isRemote) {
    const { part, records, next } = await findInOne(reader, query, position)
    if (part === undefined)
      return { type: 'open', records: shapeOpen(records, query), count: 0, next }
    if (isWhole(part, query, position)) return { type: 'whole part', part, next: part.until }
  }
  return reader.snapshot((one) => nextStep(one, query, position))
}

/** Whether all records of a part that covers an instant are to be read. */
const covers = ({ from, to }: RecordQuery, part: DeflatedPart, position: number): boolean =>
  from <= part.first && position <= part.first && to >= part.last

/** Whether they are also to be read as they are stored. */
const isWhole = (part: DeflatedPart, query: RecordQuery, position: number): boolean =>
  !part.isCorrected && covers(query, part, position)

/** The usual step over sealed days: one statement reads one state without a transaction. */
async function wholePartStep(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
): Promise<AscendingStep | undefined> {
  const { kind, source } = query
  const part = await findPart(reader, kind, source, position)
  if (part === undefined || part.start > position || !isWhole(part, query, position))
    return undefined
  return { type: 'whole part', part, next: part.until }
}

async function nextStep(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
): Promise<AscendingStep> {
  const { kind, source, to } = query
  const part = await findPart(reader, kind, source, position)
  if (part === undefined || part.start > position) {
    const end = part === undefined ? to : Math.min(to, part.start - 1)
    return openStep(reader, query, position, end)
  }
  const next = part.until
  if (!part.isCorrected) {
    if (part.first > to || part.last < position)
      return { type: 'open', records: null, count: 0, next }
    if (covers(query, part, position)) return { type: 'whole part', part, next }
  }
  const end = Math.min(to, part.until - 1)
  const rows = await readOpenRows(reader, kind, source, position, end, PAGE_RECORDS)
  // A checksum of open records may reach over a part that has none of them.
  if (covers(query, part, position) && rows.isAll && rows.times.length === 0)
    return { type: 'whole part', part, next }
  return {
    type: 'cut part',
    part: await loadPart(reader, kind, source, part.id),
    rows,
    from: position,
    to: rows.to,
    next: rows.isAll ? part.until : rows.to + 1,
  }
}

/** Open records: as many days as make a page, or a page of a day that has more records. */
async function openStep(
  reader: SqlReader,
  query: RecordQuery,
  from: number,
  to: number,
): Promise<ReadStep<OpenRecords>> {
  const { kind, source } = query
  const days = await reader.rows<DayCount>(dayCountsSql(kind), source, ...daysOf(from, to))
  const [lastDay] = days.length < DAYS_AT_ONCE ? [] : (days.at(-1) ?? [])
  const reach = lastDay === undefined ? to : Math.min(to, endOfDay(lastDay))
  const [span] = planSpans(from, reach, days, PAGE_RECORDS)
  if (span === undefined) return { type: 'open', records: null, count: 0, next: reach + 1 }
  if (span.isDense) {
    const where = [source, span.from, span.to]
    const sql = pageSql(reader.dialect, query)
    const page = await readOpenPage(reader, sql, where, PAGE_RECORDS)
    const { records, count, last } = page
    const end = count < PAGE_RECORDS ? span.to : last
    reader.recordChecks.open({ ...query, from: span.from, to: end }, records)
    return { type: 'open', records: shapeOpen(records, query), count, next: end + 1 }
  }
  const records = await readSpan(reader, { ...query, from: span.from, to: span.to })
  return { type: 'open', records: shapeOpen(records, query), count: 0, next: span.to + 1 }
}
