import { joinRecords } from '../../../domain/records/record-list.ts'
import type { DayCount } from '../../../domain/retention/retention-share.ts'
import { checkDeflated, inflatePart } from '../../sealed-days/sealed-part.ts'
import type { DeflatedText, RecordQuery, RecordsChunk } from '../../stores/records.ts'
import type { Reader } from '../connection/reader.ts'
import { checkOpen } from '../integrity/check-open.ts'
import {
  findPart,
  loadPart,
  readOpenRows,
  withLocation,
  type DeflatedPart,
} from '../sealed-days/sealed-parts.ts'
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
export const readAscending = (reader: Reader, query: RecordQuery): AsyncGenerator<Uint8Array> =>
  readSteps(
    (position) => reader.snapshot(() => nextStep(reader, query, position)),
    query,
    (part) => shape(inflatePart(part), query),
  )

/** The same in flat shape, with whole sealed parts in their compressed bytes. */
export const readDeflated = (reader: Reader, query: RecordQuery): AsyncGenerator<RecordsChunk> =>
  readSteps(
    (position) =>
      wholePartStep(reader, query, position) ??
      reader.snapshot(() => nextStep(reader, query, position)),
    query,
    ({ deflated, length, crc }): DeflatedText => ({ deflated, length, crc }),
  )

/**
 * Each step reads one state of the data and passes over its instants for good: a day that is sealed
 * or unsealed meanwhile is read once, as the one or the other.
 */
async function* readSteps<Chunk>(
  readStep: (position: number) => AscendingStep,
  query: RecordQuery,
  fromPart: (part: DeflatedPart) => Chunk,
): AsyncGenerator<Chunk | Uint8Array> {
  for (let position = query.from; position <= query.to;) {
    const step = readStep(position)
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

/** The usual step over sealed days: one statement reads one state without a transaction. */
function wholePartStep(
  reader: Reader,
  query: RecordQuery,
  position: number,
): AscendingStep | undefined {
  const { kind, source, from, to } = query
  const part = findPart(reader, kind, source, position)
  if (part === undefined || part.isCorrected) return undefined
  const isWhole = from <= part.first && part.start <= position && position <= part.first
  return isWhole && to >= part.last ? { type: 'whole part', part, next: part.until } : undefined
}

function nextStep(reader: Reader, query: RecordQuery, position: number): AscendingStep {
  const { kind, source, from, to } = query
  const part = findPart(reader, kind, source, position)
  if (part === undefined || part.start > position) {
    const end = part === undefined ? to : Math.min(to, part.start - 1)
    return openStep(reader, query, position, end)
  }
  if (!part.isCorrected) {
    const next = part.until
    if (part.first > to || part.last < position)
      return { type: 'open', records: null, count: 0, next }
    if (from <= part.first && position <= part.first && to >= part.last)
      return { type: 'whole part', part, next }
  }
  const end = Math.min(to, part.until - 1)
  const rows = readOpenRows(reader, kind, source, position, end, PAGE_RECORDS)
  return {
    type: 'cut part',
    part: loadPart(reader, kind, part.id),
    rows,
    from: position,
    to: rows.to,
    next: rows.isAll ? part.until : rows.to + 1,
  }
}

/** Open records: as many days as make a page, or a page of a day that has more records. */
function openStep(
  reader: Reader,
  query: RecordQuery,
  from: number,
  to: number,
): ReadStep<OpenRecords> {
  const { kind, source } = query
  const days = reader.rows<DayCount>(dayCountsSql(kind), source, ...daysOf(from, to))
  const [lastDay] = days.length < DAYS_AT_ONCE ? [] : (days.at(-1) ?? [])
  const reach = lastDay === undefined ? to : Math.min(to, endOfDay(lastDay))
  const [span] = planSpans(from, reach, days, PAGE_RECORDS)
  if (span === undefined) return { type: 'open', records: null, count: 0, next: reach + 1 }
  if (span.isDense) {
    const page = readOpenPage(reader, pageSql(query), [source, span.from, span.to], PAGE_RECORDS)
    const { records, count, last } = page
    const end = count < PAGE_RECORDS ? span.to : last
    checkOpen(reader, { ...query, from: span.from, to: end }, records)
    return { type: 'open', records: shapeOpen(records, query), count, next: end + 1 }
  }
  const records = readSpan(reader, { ...query, from: span.from, to: span.to })
  return { type: 'open', records: shapeOpen(records, query), count: 0, next: span.to + 1 }
}
