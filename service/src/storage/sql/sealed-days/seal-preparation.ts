import { bytesOf, type SqlReader, type TextBytes } from '../engine.ts'
import { daysOf } from '../records/record-days.ts'
import { dropPart, withLocation, insertParts, loadPart, readOpenRows } from './sealed-parts.ts'
import { encodeHours } from '../../sealed-days/hour-codec.ts'
import { summarizeHours } from '../../../domain/records/hour-summary.ts'
import { zone } from '../../../domain/time/local-time.ts'
import { joinRecords, mergeRecords, type RecordList } from '../../../domain/records/record-list.ts'
import { openPart, PART_RECORDS, sealPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind } from '../../stores/records.ts'
import { lockSources, type Statement } from '../statement.ts'

/** The most corrections that are merged into a part at once. */
const CORRECTIONS = 20_000

export type SealRequest = {
  kind: RecordKind
  source: number
  /** From an instant until another, the end not included, within one local day. */
  start: number
  until: number
  /** The time zone of the hour summaries. */
  zoneName: string
}

export type SealPreparation = {
  /** One write; refused where a record has been written or deleted since. */
  statements: Statement[]
  /** The number of open records that are sealed, and the compressed bytes. */
  records: number
  bytes: number
  /** The instant from which on more records may have to be sealed. */
  next: number
}

/** Seals the first open records of a span, or merges the corrections of a part into it. */
export function prepareSeal(engine: SqlReader, request: SealRequest): Promise<SealPreparation> {
  const { kind, source, start, until } = request
  return engine.snapshot(async (reader) => {
    const known = await reader.row<[id: number, start: number, until: number]>(
      `select id, start, until from ${kind}_sealed_parts
        where source = ? and until > ? order by until limit 1`,
      source,
      start,
    )
    if (known !== undefined && known[1] <= start) return mergeCorrections(reader, request, known)
    const end = known === undefined ? until : Math.min(until, known[1])
    return sealOpen(reader, { ...request, until: end })
  })
}

async function sealOpen(reader: SqlReader, request: SealRequest): Promise<SealPreparation> {
  const { kind, source, start, until } = request
  const { dialect } = reader
  const [records, instants = ''] =
    (await reader.row<[TextBytes, string]>(
      `select ${dialect.joined('record')}, ${dialect.joinedNumbers('time')}
        from (select record, time from ${kind}_records
          where source = ? and time between ? and ? order by time limit ?) as first`,
      source,
      start,
      until - 1,
      PART_RECORDS,
    )) ?? []
  const text = bytesOf(records)
  const times = text === null ? [] : instants.split(',').map(Number)
  const isAll = times.length < PART_RECORDS
  const last = isAll ? until - 1 : (times.at(-1) ?? until - 1)
  reader.recordChecks.open({ kind, source, from: start, to: last }, text, times)
  if (text === null) return nothing(until)
  const next = last + 1
  const hours = hoursOf(text, times, request.zoneName)
  const part = sealPart({ start, until: next, text, times, hours })
  return {
    statements: [
      lockSources(kind, [source]),
      ...(await closeRows(reader, kind, source, times)),
      ...insertParts(dialect, kind, source, [part]),
    ],
    records: times.length,
    bytes: part.deflated.length,
    next,
  }
}

async function mergeCorrections(
  reader: SqlReader,
  { kind, source, zoneName }: SealRequest,
  [id, start, until]: [id: number, start: number, until: number],
): Promise<SealPreparation> {
  const rows = await readOpenRows(reader, kind, source, start, until - 1, CORRECTIONS)
  if (rows.texts.length === 0) return nothing(until)
  const old = await loadPart(reader, kind, source, id)
  const merged = mergeRecords(
    withLocation({ kind, source }, { start }, () => openPart(old)),
    rows,
  )
  const parts = sealList(merged, { start, until }, zoneName)
  return {
    statements: [
      lockSources(kind, [source]),
      { ...dropPart(kind, source, id), expected: 1 },
      ...(await closeRows(reader, kind, source, Array.from(rows.times))),
      ...insertParts(reader.dialect, kind, source, parts),
    ],
    records: rows.texts.length,
    bytes: parts.reduce((sum, { deflated }) => sum + deflated.length, 0),
    next: rows.isAll ? until : start,
  }
}

/** Seals parts of at most `PART_RECORDS` that cover a span without a gap. */
function sealList(
  { times, texts }: RecordList,
  span: { start: number; until: number },
  zoneName: string,
): SealedPart[] {
  const parts: SealedPart[] = []
  for (let at = 0; at < texts.length; at += PART_RECORDS) {
    const end = Math.min(at + PART_RECORDS, texts.length)
    const text = joinRecords(texts.slice(at, end))
    const own: number[] = Array.prototype.slice.call(times, at, end)
    const [first = span.start] = own
    parts.push(
      sealPart({
        start: at === 0 ? span.start : first,
        until: times[end] ?? span.until,
        text,
        times: own,
        hours: hoursOf(text, own, zoneName),
      }),
    )
  }
  return parts
}

const hoursOf = (text: Uint8Array, times: ArrayLike<number>, zoneName: string): Uint8Array =>
  encodeHours(summarizeHours(text, times, zone(zoneName)))

/** Statements that delete the sealed rows; refused where a record was written to their days since. */
async function closeRows(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  times: readonly number[],
): Promise<Statement[]> {
  const from = times[0]
  const to = times.at(-1)
  if (from === undefined || to === undefined) return []
  const days = await reader.rows<[day: number, revision: number]>(
    `select day, revision from ${kind}_open_days where source = ? and day between ? and ?`,
    source,
    ...daysOf(from, to),
  )
  return [
    {
      sql: `delete from ${kind}_records where source = ? and time between ? and ?`,
      width: 3,
      values: [source, from, to],
      checked: { kind, as: 'spans' },
      expected: times.length,
    },
    {
      sql: `update ${kind}_open_days set rewrites = rewrites + 1, count = (select count(*) from ${kind}_records as open
          where open.source = ${kind}_open_days.source
          and open.time >= day * 86400000 and open.time < (day + 1) * 86400000)
        where source = ? and day = ? and revision = ?`,
      width: 3,
      values: days.flatMap(([day, revision]) => [source, day, revision]),
      expected: days.length,
    },
    {
      sql: `delete from ${kind}_open_days where source = ? and day between ? and ? and count = 0`,
      width: 3,
      values: [source, ...daysOf(from, to)],
    },
    {
      sql: `delete from ${kind}_open_hours where source = ? and day between ? and ?`,
      width: 3,
      values: [source, ...daysOf(from, to)],
    },
  ]
}

const nothing = (next: number): SealPreparation => ({ statements: [], records: 0, bytes: 0, next })
