import { crc32 } from 'node:zlib'
import type { Statement } from '../statement.ts'
import type {
  MarkRows,
  PlaceRows,
  RecordKeys,
  RecordKind,
  RecordWriteOptions,
  StoredPlace,
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
  { marks, expected, deletions }: ReplacingOptions,
): Statement[] {
  return KINDS.flatMap((kind) => {
    const places = collectPlaces(kind, batch, marks?.[kind], expected?.[kind])
    const areNew = batch.rows[kind]?.areNew === true
    return [
      areNew ? rememberNew(change, kind, places) : rememberOld(change, kind, places),
      rememberMarksOnly(change, kind, keysBeside(places, deletions?.[kind])),
    ]
  }).filter(({ values }) => values.length > 0)
}

type ReplacingOptions = Required<Pick<RecordWriteOptions, 'marks' | 'expected' | 'deletions'>>

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
  const places: ChangedPlace[] = []
  if (records !== undefined)
    for (const { source, time, record } of eachRecord(records))
      places.push({ source, time, record, sealed: sealed[kind]?.[places.length] })
  for (const { source, time, text, ...one } of removed)
    if (one.kind === kind) places.push({ source, time, sealed: text })
  return withMarks(places, marks, expected)
}

/**
 * Written marks belong to the record of their place, or to what was stored there before; a record that
 * is written without marks keeps those of its place.
 */
function withMarks(
  places: readonly ChangedPlace[],
  marks: MarkRows | undefined,
  expected: PlaceRows | undefined,
): ChangedPlace[] {
  const before = storedBefore(expected)
  const hasMarks = marks !== undefined && marks.times.length > 0
  if (!hasMarks && before.size === 0) return [...places]
  const known = new Map<string, ChangedPlace>()
  for (const place of places) {
    const key = `${place.source} ${place.time}`
    const isDeleted = place.record === undefined
    known.set(key, { ...place, marks: isDeleted ? null : (before.get(key)?.marks ?? null) })
  }
  if (!hasMarks) return [...known.values()]
  for (const { source, time, marks: text } of eachMark(marks)) {
    const key = `${source} ${time}`
    const record = before.get(key)?.record ?? undefined
    known.set(key, {
      ...(known.get(key) ?? { source, time, record, sealed: record }),
      marks: text,
    })
  }
  return [...known.values()]
}

/** What places had before, by `source time`. */
function storedBefore(expected: PlaceRows | undefined): ReadonlyMap<string, StoredPlace> {
  const before = new Map<string, StoredPlace>()
  if (expected === undefined) return before
  let at = 0
  for (const { source, time } of eachKey(expected)) {
    const stored = expected.stored[at++]
    if (stored !== undefined) before.set(`${source} ${time}`, stored)
  }
  return before
}

/** The deleted keys at which no record was found: they may have marks. */
function keysBeside(places: readonly ChangedPlace[], keys: RecordKeys | undefined) {
  if (keys === undefined || keys.times.length === 0) return []
  const known = new Set(places.map(({ source, time }) => `${source} ${time}`))
  return Array.from(eachKey(keys)).filter(({ source, time }) => !known.has(`${source} ${time}`))
}

/** Places without a record whose marks are deleted. */
const rememberMarksOnly = (
  change: number,
  kind: RecordKind,
  keys: readonly { source: number; time: number }[],
): Statement => ({
  sql: `insert into change_records (change_id, kind, source, time, written, previous_marks)
    select ?, '${kind}', source, time, null, marks from ${kind}_marks
    where source = ? and time = ? ${REPEATED}`,
  width: 3,
  set: {
    sql: `insert into change_records (change_id, kind, source, time, written, previous_marks)
      select c1, '${kind}', source, time, null, marks from ${kind}_marks
      join @given on source = c2 and time = c3 ${REPEATED}`,
    types: ['bigint', 'bigint', 'bigint'],
    key: 3,
  },
  values: keys.flatMap(({ source, time }) => [change, source, time]),
})

/** Each place once: what was there before the first of its writes, and what the last one leaves. */
function onceEach(places: readonly ChangedPlace[]): ChangedPlace[] {
  const once = new Map<string, ChangedPlace>()
  for (const place of places) {
    const key = `${place.source} ${place.time}`
    const sealed = once.get(key)?.sealed ?? place.sealed
    once.set(key, { ...place, sealed })
  }
  return [...once.values()]
}

function rememberOld(change: number, kind: RecordKind, all: readonly ChangedPlace[]): Statement {
  const places = onceEach(all)
  return {
    sql: `insert into change_records (change_id, kind, source, time, written, previous, previous_marks)
      select ?, '${kind}', ?, ?, ?,
        coalesce((select record from ${kind}_records where source = ? and time = ?), ?),
        (select marks from ${kind}_marks where source = ? and time = ?)
      where true ${REPEATED}`,
    width: 9,
    set: {
      sql: `insert into change_records (change_id, kind, source, time, written, previous, previous_marks)
        select c1, '${kind}', c2, c3, c4,
          coalesce((select record from ${kind}_records where source = c2 and time = c3), c7),
          (select marks from ${kind}_marks where source = c2 and time = c3)
        from @given ${REPEATED}`,
      types: [...PLACE, 'bigint', 'bigint', 'bigint', 'text', 'bigint', 'bigint'],
    },
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

/** Places where nothing is stored; without a look for it. */
function rememberNew(change: number, kind: RecordKind, places: readonly ChangedPlace[]): Statement {
  return {
    sql: `insert into change_records (change_id, kind, source, time, written)
      values (?, '${kind}', ?, ?, ?) ${REPEATED}`,
    width: 4,
    set: {
      sql: `insert into change_records (change_id, kind, source, time, written)
        select c1, '${kind}', c2, c3, c4 from @given ${REPEATED}`,
      types: [...PLACE, 'bigint'],
      key: 3,
    },
    values: places.flatMap(({ source, time, record, marks }) => [
      change,
      source,
      time,
      fingerprint(record, marks),
    ]),
  }
}

/** The types of a change, a source and an instant. */
const PLACE = ['bigint', 'bigint', 'bigint'] as const

const REPEATED = `on conflict (change_id, kind, source, time) do update set written = excluded.written`
