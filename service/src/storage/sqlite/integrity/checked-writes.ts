import type { Database } from 'better-sqlite3'
import {
  addRecord,
  CHECKSUM_RECORDS,
  checksumOf,
  checksumsOf,
  crcOf,
  hasRoomFor,
  matches,
  type RecordChecksum,
} from '../../../encodings/record-checksum.ts'
import type { RecordKind } from '../../stores/records.ts'
import { daysOf, endOfDay } from '../../sql/records/record-days.ts'
import { Statements } from '../connection/statements.ts'
import type { RecordTuple, SpanTuple } from './checked-rows.ts'
import {
  CHECKSUM_COLUMNS,
  checksumsSql,
  fromChecksum,
  overlap,
  toChecksum,
  type ChecksumRow,
} from './checksum-rows.ts'
import { LastChecksums } from './last-checksums.ts'

/** Records in the order of source and instant, from the first that is not stored yet. */
type RowCursor = { rows: readonly RecordTuple[]; at: number }

/** Spans of a source that touch the same checksums, and these. */
type SpanGroup = {
  source: number
  from: number
  to: number
  spans: SpanTuple[]
  touched: RecordChecksum[]
}

/**
 * Keeps the checksums of open records equal to the records while these are written and deleted.
 *
 * Damaged records stay damaged: their checksum is left as it is, whatever is written beside them.
 */
export class CheckedWrites {
  readonly #statements: Statements
  readonly #last: LastChecksums

  constructor(database: Database) {
    this.#statements = new Statements(database)
    this.#last = new LastChecksums(this.#statements)
  }

  /** Has to be called after the begin of a transaction. */
  begin(): void {
    this.#last.begin()
  }

  /** Has to be called after every rollback. */
  rolledBack(): void {
    this.#last.clear()
  }

  /** Removes the checksums of whole sources: runs the statement that removed their records on them. */
  removeSources(kind: RecordKind, sql: string, rows: readonly (readonly unknown[])[]): void {
    this.#last.clear()
    for (const table of ['checksums', 'last_checksums']) {
      const statement = this.#statements.get(sql.replace(`${kind}_records`, `${kind}_${table}`))
      for (const row of rows) statement.run(...row)
    }
  }

  /** Stores records by `insert`, each once and in the order of their instants. */
  insert(
    kind: RecordKind,
    records: readonly RecordTuple[],
    insert: (row: RecordTuple) => void,
  ): void {
    const cursor = { rows: isInOrder(records) ? records : records.toSorted(byPlace), at: 0 }
    for (let row = cursor.rows[0]; row !== undefined; row = cursor.rows[cursor.at]) {
      const [source, time] = row
      const known = this.#find(kind, source, time)
      if (known !== undefined && time <= known.last) {
        this.#replace(kind, cursor, row, known, known.last, insert)
        continue
      }
      const next = this.#next(kind, source, time)
      const isBefore = known === undefined && next !== undefined && next.count < CHECKSUM_RECORDS
      if (isBefore) this.#replace(kind, cursor, row, next, next.start - 1, insert)
      else this.#append(kind, cursor, source, known, next?.start ?? Infinity, insert)
    }
  }

  /** Deletes records by `remove`, each span once. */
  remove(kind: RecordKind, spans: readonly SpanTuple[], remove: (span: SpanTuple) => void): void {
    let group: SpanGroup | undefined
    for (const span of spans.toSorted(byPlace)) {
      const [source, from, to] = span
      const end = group?.touched.at(-1)?.last ?? -Infinity
      if (group?.source === source && from <= end) {
        group.spans.push(span)
        group.to = Math.max(group.to, to)
        group.touched = this.#overlapping(kind, source, group.from, group.to)
        continue
      }
      if (group !== undefined) this.#removeGroup(kind, group, remove)
      const touched = this.#overlapping(kind, source, from, to)
      group = { source, from, to, spans: [span], touched }
    }
    if (group !== undefined) this.#removeGroup(kind, group, remove)
  }

  #removeGroup(
    kind: RecordKind,
    { source, spans, touched }: SpanGroup,
    remove: (span: SpanTuple) => void,
  ): void {
    const isGone = (sum: RecordChecksum) =>
      spans.some(([, first, last]) => first <= sum.start && sum.last <= last)
    const cut = touched.filter((sum) => !isGone(sum) && this.#isSound(kind, source, sum))
    for (const span of spans) {
      remove(span)
      this.#noteRewrite(kind, source, span[1], span[2])
    }
    for (const sum of touched) if (isGone(sum)) this.#drop(kind, source, sum.start)
    for (const sum of cut) this.#renew(kind, source, sum)
  }

  /** Stores records after a checksum and before the start of the next one. */
  #append(
    kind: RecordKind,
    cursor: RowCursor,
    source: number,
    known: RecordChecksum | undefined,
    next: number,
    insert: (row: RecordTuple) => void,
  ): void {
    let sum = known
    let newest: string | undefined
    let end = -Infinity
    for (let row = cursor.rows[cursor.at]; row !== undefined; row = cursor.rows[++cursor.at]) {
      const [owner, time, record] = row
      if (owner !== source || time >= next || (sum !== undefined && time <= sum.last)) break
      insert(row)
      if (sum !== undefined && hasRoomFor(sum, time)) sum = addRecord(sum, time, record)
      else {
        if (sum !== undefined && newest !== undefined) this.#put(kind, source, sum, newest)
        sum = checksumOf(source, time, record)
      }
      newest = record
      end = time
    }
    if (sum !== undefined && newest !== undefined) this.#put(kind, source, sum, newest)
    if (next < endOfDayOf(end)) this.#noteRewrite(kind, source, end, end)
  }

  /** Stores records up to an instant that lies in a checksum or before it, and makes it again. */
  #replace(
    kind: RecordKind,
    cursor: RowCursor,
    [source, start]: RecordTuple,
    known: RecordChecksum,
    until: number,
    insert: (row: RecordTuple) => void,
  ): void {
    const isSound = this.#isSound(kind, source, known)
    let end = start
    for (let row = cursor.rows[cursor.at]; row !== undefined; row = cursor.rows[++cursor.at]) {
      const [owner, time] = row
      if (owner !== source || time > until) break
      insert(row)
      end = time
    }
    this.#noteRewrite(kind, source, start, end)
    if (isSound) this.#renew(kind, source, known, Math.min(start, known.start))
  }

  /** Counts a change of days other than records that are newer than all of theirs. */
  #noteRewrite(kind: RecordKind, source: number, from: number, to: number): void {
    const sql = `update ${kind}_open_days set rewrites = rewrites + 1
      where source = ? and day between ? and ?`
    this.#statements.get(sql).run(source, ...daysOf(from, to))
  }

  #isSound(kind: RecordKind, source: number, sum: RecordChecksum): boolean {
    return matches(source, sum, this.#records(kind, source, sum))
  }

  /** Makes the checksums of the records that now lie where an old checksum was. */
  #renew(kind: RecordKind, source: number, old: RecordChecksum, start = old.start): void {
    const records = this.#records(kind, source, { ...old, start })
    const sums = checksumsOf(source, records)
    if (sums[0]?.start !== old.start) this.#drop(kind, source, old.start)
    let end = 0
    for (const sum of sums) {
      end += sum.count
      const newest = records[end - 1]
      if (newest !== undefined) this.#put(kind, source, sum, newest[1])
    }
  }

  #records(kind: RecordKind, source: number, { start, last }: RecordChecksum) {
    const sql = `select time, record from ${kind}_records where source = ? and time between ? and ?`
    return this.#statements.all<[time: number, record: string]>(sql, source, start, last)
  }

  /** The last checksum that starts at an instant or before it. */
  #find(kind: RecordKind, source: number, time: number): RecordChecksum | undefined {
    const last = this.#last.get(kind, source)
    if (last === undefined || last.start <= time) return last
    const sql = `select ${CHECKSUM_COLUMNS} from ${kind}_checksums
      where source = ? and start <= ? order by start desc limit 1`
    return this.#statements.all<ChecksumRow>(sql, source, time).map(toChecksum)[0]
  }

  /** The first checksum that starts after an instant. */
  #next(kind: RecordKind, source: number, time: number): RecordChecksum | undefined {
    const last = this.#last.get(kind, source)
    if (last === undefined || last.start <= time) return undefined
    const sql = `select ${CHECKSUM_COLUMNS} from ${kind}_checksums
      where source = ? and start > ? order by start limit 1`
    return this.#statements.all<ChecksumRow>(sql, source, time).map(toChecksum)[0] ?? last
  }

  #overlapping(kind: RecordKind, source: number, from: number, to: number): RecordChecksum[] {
    return this.#statements
      .all<ChecksumRow>(checksumsSql(kind), ...overlap(source, from, to))
      .map(toChecksum)
      .filter(({ last }) => last >= from)
  }

  #put(kind: RecordKind, source: number, sum: RecordChecksum, newest: string): void {
    const last = this.#last.get(kind, source)
    if (last !== undefined && sum.start < last.start) return this.#store(kind, source, sum)
    if (last !== undefined && sum.start > last.start) this.#store(kind, source, last)
    this.#last.set(kind, source, { ...sum, newest: crcOf(source, newest) })
  }

  #store(kind: RecordKind, source: number, sum: RecordChecksum): void {
    const sql = `insert or replace into ${kind}_checksums (source, ${CHECKSUM_COLUMNS})
      values (?, ?, ?, ?, ?, ?, ?)`
    this.#statements.get(sql).run(source, ...fromChecksum(sum))
  }

  #drop(kind: RecordKind, source: number, start: number): void {
    const sql = `delete from ${kind}_checksums where source = ? and start = ?`
    if (this.#last.get(kind, source)?.start !== start) {
      this.#statements.get(sql).run(source, start)
      return
    }
    const before = this.#find(kind, source, start - 1)
    if (before === undefined) return this.#last.delete(kind, source)
    this.#statements.get(sql).run(source, before.start)
    const records = this.#records(kind, source, before)
    const [, text] = records.at(-1) ?? []
    // Damaged records have no newest record that is sound.
    const isSound = text !== undefined && matches(source, before, records)
    this.#last.set(kind, source, { ...before, newest: isSound ? crcOf(source, text) : -1 })
  }
}

/** The first instant after the day of UTC of an instant. */
const endOfDayOf = (time: number): number => endOfDay(daysOf(time, time)[0]) + 1

/** Rows of the same place keep their order. */
const byPlace = (one: readonly [number, number, ...unknown[]], other: typeof one): number =>
  one[0] - other[0] || one[1] - other[1]

function isInOrder(records: readonly RecordTuple[]): boolean {
  let last: RecordTuple | undefined
  for (const record of records) {
    if (last !== undefined && byPlace(last, record) > 0) return false
    last = record
  }
  return true
}
