import { crc32 } from 'node:zlib'
import type { Statement } from '../../sql/statement.ts'
import type {
  MarkRows,
  PlaceRows,
  RecordKeys,
  RecordKind,
  RecordWriteOptions,
} from '../../stores/records.ts'
import type { CorrectedBatch } from './corrections.ts'
import { eachMark } from './marks.ts'
import { eachKey, eachRecord } from './record-rows.ts'

const KINDS = ['theme', 'raw'] as const

/** The CRC-32 by which what a place holds is recognised, a record with its marks; `null` for nothing. */
export function fingerprint(record: string | undefined, marks?: string | null): number | null {
  if (marks === undefined || marks === null) return record === undefined ? null : crc32(record)
  return crc32(`${record ?? ''}\n${marks}`)
}

/**
 * Statements that keep the records and marks that a write replaces or deletes; they run before the write.
 *
 * After several writes of one change, what was there before the first write is kept.
 */
export function rememberChange(
  change: number,
  batch: CorrectedBatch,
  { marks, expected, deletions }: Remembered,
): Statement[] {
  return KINDS.flatMap((kind) => {
    const places = collectPlaces(kind, batch, marks?.[kind], expected?.[kind])
    const areNew = batch.rows[kind]?.areNew === true
    return [
      rememberMarked(change, kind, withoutRecord(deletions?.[kind], places)),
      areNew ? rememberNew(change, kind, places) : rememberOld(change, kind, places),
    ]
  }).filter(({ values }) => values.length > 0)
}

type RecordKey = { source: number; time: number }

type Remembered = Required<Pick<RecordWriteOptions, 'marks' | 'expected' | 'deletions'>>

const keyOf = (source: number, time: number): string => `${source} ${time}`

/** A place that a write changes: what it writes, and a sealed record that it replaces or deletes. */
type ChangedPlace = {
  source: number
  time: number
  record?: string | undefined
  marks?: string | null
  sealed?: string | undefined
}

function collectPlaces(
  kind: RecordKind,
  { rows, sealed, removed }: CorrectedBatch,
  marks: MarkRows | undefined,
  expected: PlaceRows | undefined,
): ChangedPlace[] {
  const records = rows[kind]
  const keptMarks = storedBefore(expected, 'marks')
  const places: ChangedPlace[] = []
  if (records !== undefined)
    for (const { source, time, record } of eachRecord(records))
      places.push({
        source,
        time,
        record,
        marks: keptMarks.get(keyOf(source, time)) ?? null,
        sealed: sealed[kind]?.[places.length],
      })
  for (const { source, time, text, ...one } of removed)
    if (one.kind === kind) places.push({ source, time, sealed: text })
  return marks === undefined || marks.times.length === 0
    ? places
    : withMarks(places, marks, expected)
}

/** Marks belong to the record of their place, or to what was stored there before. */
function withMarks(
  places: readonly ChangedPlace[],
  marks: MarkRows,
  expected: PlaceRows | undefined,
): ChangedPlace[] {
  const known = new Map(places.map((place) => [keyOf(place.source, place.time), place]))
  const before = storedBefore(expected, 'record')
  for (const { source, time, marks: text } of eachMark(marks)) {
    const place = keyOf(source, time)
    const record = before.get(place) ?? undefined
    known.set(place, {
      ...(known.get(place) ?? { source, time, record, sealed: record }),
      marks: text,
    })
  }
  return [...known.values()]
}

/** What places had before: a write of marks alone leaves the record, and one of the record alone the marks. */
function storedBefore(
  expected: PlaceRows | undefined,
  what: 'record' | 'marks',
): ReadonlyMap<string, string | null> {
  if (expected === undefined) return new Map()
  const { stored } = expected
  return new Map(
    Array.from(eachKey(expected), ({ source, time }, at) => [
      keyOf(source, time),
      stored[at]?.[what] ?? null,
    ]),
  )
}

function rememberOld(change: number, kind: RecordKind, places: readonly ChangedPlace[]): Statement {
  return {
    sql: `insert into change_records (change_id, kind, source, time, written, previous, previous_marks)
      select ?, '${kind}', ?, ?, ?,
        coalesce((select record from ${kind}_records where source = ? and time = ?), ?),
        (select marks from ${kind}_marks where source = ? and time = ?)
      where true ${REPEATED}`,
    width: 9,
    values: places.flatMap(({ source, time, record, marks, sealed = null }) => [
      change,
      source,
      time,
      fingerprint(record, marks),
      source,
      time,
      sealed,
      source,
      time,
    ]),
  }
}

/** The deleted keys that are none of the places. */
function withoutRecord(
  deletions: RecordKeys | undefined,
  places: readonly ChangedPlace[],
): RecordKey[] {
  if (deletions === undefined) return []
  const known = new Set(places.map(({ source, time }) => keyOf(source, time)))
  return Array.from(eachKey(deletions)).filter(
    ({ source, time }) => !known.has(keyOf(source, time)),
  )
}

/** Places without a record, whose marks are deleted. */
function rememberMarked(
  change: number,
  kind: RecordKind,
  deleted: readonly RecordKey[],
): Statement {
  return {
    sql: `insert into change_records (change_id, kind, source, time, written, previous_marks)
      select ?, '${kind}', source, time, null, marks from ${kind}_marks
      where source = ? and time = ? ${REPEATED}`,
    width: 3,
    values: deleted.flatMap(({ source, time }) => [change, source, time]),
  }
}

/** Places where nothing is stored; without a look for it. */
function rememberNew(change: number, kind: RecordKind, places: readonly ChangedPlace[]): Statement {
  return {
    sql: `insert into change_records (change_id, kind, source, time, written)
      values (?, '${kind}', ?, ?, ?) ${REPEATED}`,
    width: 4,
    values: places.flatMap(({ source, time, record, marks }) => [
      change,
      source,
      time,
      fingerprint(record, marks),
    ]),
  }
}

const REPEATED = `on conflict (change_id, kind, source, time) do update set written = excluded.written`
