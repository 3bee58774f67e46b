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
import { findDayInOne } from '../open-days/find-day-in-one.ts'
import type { OpenDay } from '../open-days/open-day.ts'
import type { OpenDays } from '../open-days/open-days.ts'
import { readOpenDay } from '../open-days/read-open-day.ts'
import { findInOne } from './read-in-one.ts'
import type { PartLookUps } from '../sealed-days/part-look-ups.ts'
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

/** A step with compressed records, or with those of an open day that are to be kept. */
type DeflatedStep = AscendingStep | ReadStep<{ type: 'open day'; day: OpenDay }>

type ReadOpen<Step> = (reader: SqlReader, query: RecordQuery, span: OpenSpan) => Promise<Step>

/** Open records of a window, and from where on records are sealed. */
type OpenSpan = { from: number; to: number; sealedFrom: number }

/** What requests share. */
export type Shared = { openDays: OpenDays; parts: PartLookUps }

/**
 * The same with whole sealed parts and kept records of open days in their compressed bytes, which are
 * of flat shape.
 */
export async function* readDeflated(
  reader: SqlReader,
  query: RecordQuery,
  { openDays, parts }: Shared,
): AsyncGenerator<RecordsChunk> {
  let isOpen = false
  for (let position = query.from; position <= query.to;) {
    const kept = openDays.isOff ? undefined : await openDays.find(reader, query, position)
    if (kept !== undefined) {
      yield* kept.chunks
      position = kept.next
      isOpen = true
      continue
    }
    const step = await deflatedStep(reader, parts, query, position, {
      isKept: !openDays.isOff,
      isOpen,
    })
    if (step.type === 'open day')
      for (const chunk of await openDays.keep(query, step.day))
        yield isText(chunk) ? shape(chunk, query) : chunk
    else {
      const chunk = chunkOf(step, query, toDeflated)
      if (chunk !== null) yield chunk
    }
    position = step.next
    isOpen = false
  }
}

const isText = (chunk: RecordsChunk): chunk is Uint8Array => chunk instanceof Uint8Array

const toDeflated = ({ deflated, length, crc }: DeflatedPart): DeflatedText => ({
  deflated,
  length,
  crc,
})

/**
 * Reads the records of a source as text, sealed and open ones, oldest first.
 *
 * Each step reads one state of the data and passes over its instants for good: a day that is sealed
 * or unsealed meanwhile is read once, as the one or the other.
 */
export async function* readAscending(
  reader: SqlReader,
  query: RecordQuery,
  { openDays, parts }: Shared,
): AsyncGenerator<Uint8Array> {
  // A database that is asked over a network takes longer to join records than to inflate kept ones.
  if (reader.dialect.isRemote && !openDays.isOff) {
    for await (const chunk of readDeflated(reader, query, { openDays, parts }))
      yield isText(chunk) ? chunk : shape(inflatePart(chunk), query)
    return
  }
  let isOpen = false
  for (let position = query.from; position <= query.to;) {
    const step = await stepAt(reader, parts, query, position, { isOpen })
    const chunk = chunkOf(step, query, (part) => shape(inflatePart(part), query))
    if (chunk !== null) yield chunk
    position = step.next
    isOpen = step.type === 'open' && step.records !== null
  }
}

function chunkOf<Chunk>(
  step: AscendingStep,
  query: RecordQuery,
  fromPart: (part: DeflatedPart) => Chunk,
): Chunk | Uint8Array | null {
  if (step.type === 'open') return step.records
  if (step.type === 'whole part') {
    const { part } = step
    withLocation(query, part, () => checkDeflated(part))
    return fromPart(part)
  }
  const { texts } = recordsOf(step, query)
  return texts.length > 0 ? shape(joinRecords(texts), query) : null
}

/** A step of which open records are to be kept; `isOpen`: the records before it are open. */
async function deflatedStep(
  reader: SqlReader,
  parts: PartLookUps,
  query: RecordQuery,
  position: number,
  { isKept, isOpen }: { isKept: boolean; isOpen: boolean },
): Promise<DeflatedStep> {
  const { isRemote } = reader.dialect
  if (isRemote && !isKept) return stepAt(reader, parts, query, position, { isOpen })
  const whole = isOpen ? undefined : await wholePartStep(parts, query, position)
  if (whole !== undefined) return whole
  if (!isRemote)
    return reader.snapshot((one) => nextStep(one, query, position, isKept ? keptStep : openStep))
  const found = await findDayInOne(reader, query, position)
  if (found.type === 'day') return { type: 'open day', day: found.day, next: found.next }
  if (found.type === 'gap') return { type: 'open', records: null, count: 0, next: found.to + 1 }
  if (found.type === 'part' && isWhole(found.part, query, position))
    return { type: 'whole part', part: found.part, next: found.part.until }
  if (found.type === 'part') return reader.snapshot((one) => nextStep(one, query, position))
  return stepAt(reader, parts, query, position, { isOpen: true })
}

/**
 * The step at an instant: by one statement where that is enough, else from one state of the data;
 * `isOpen`: the records before it are open.
 */
async function stepAt(
  reader: SqlReader,
  parts: PartLookUps,
  query: RecordQuery,
  position: number,
  { isOpen }: { isOpen: boolean },
): Promise<AscendingStep> {
  const { isRemote } = reader.dialect
  const whole = isOpen || !isRemote ? undefined : await wholePartStep(parts, query, position)
  if (whole !== undefined) return whole
  if (isRemote) {
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
  parts: PartLookUps,
  query: RecordQuery,
  position: number,
): Promise<AscendingStep | undefined> {
  const { kind, source } = query
  const part = await parts.find(kind, source, position)
  if (part === undefined || part.start > position || !isWhole(part, query, position))
    return undefined
  return { type: 'whole part', part, next: part.until }
}

async function nextStep(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
): Promise<AscendingStep>
async function nextStep<Step>(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
  readOpen: ReadOpen<Step>,
): Promise<AscendingStep | Step>
async function nextStep(
  reader: SqlReader,
  query: RecordQuery,
  position: number,
  readOpen: ReadOpen<DeflatedStep> = openStep,
): Promise<DeflatedStep> {
  const { kind, source, to } = query
  const part = await findPart(reader, kind, source, position)
  if (part === undefined || part.start > position) {
    const end = part === undefined ? to : Math.min(to, part.start - 1)
    return readOpen(reader, query, { from: position, to: end, sealedFrom: part?.start ?? Infinity })
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

/** The records of the first open day, to be kept, or those before it. */
async function keptStep(
  reader: SqlReader,
  query: RecordQuery,
  span: OpenSpan,
): Promise<DeflatedStep> {
  const found = await readOpenDay(reader, query, span)
  if (found.type === 'day') return { type: 'open day', day: found.day, next: found.next }
  return openStep(reader, query, found.type === 'gap' ? { ...span, to: found.to } : span)
}

/** Open records: as many days as make a page, or a page of a day that has more records. */
async function openStep(
  reader: SqlReader,
  query: RecordQuery,
  { from, to }: Pick<OpenSpan, 'from' | 'to'>,
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
