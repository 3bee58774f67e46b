import type { Database } from 'better-sqlite3'
import {
  CHECKSUM_COLUMNS,
  checksumsSql,
  fromChecksum,
  overlap,
  toChecksum,
  type ChecksumRow,
} from './checksum-rows.ts'
import { Statements } from '../connection/statements.ts'
import { Tails } from '../records/tails.ts'
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
import type { RecordKind } from '../../storage.ts'

type Record = readonly [source: number, time: number, record: string]
type Span = readonly [source: number, from: number, to: number]

/**
 * Keeps the checksums of open records true while these come, change and go.
 *
 * What is damaged stays so: its checksum is left as it is, whatever is written beside it.
 */
export class CheckedWrites {
  readonly #statements: Statements
  readonly #tails: Tails

  constructor(database: Database) {
    this.#statements = new Statements(database)
    this.#tails = new Tails(this.#statements)
  }

  /** Has to be called when a transaction has begun. */
  begin(): void {
    this.#tails.begin()
  }

  /** Has to be called when something was rolled back. */
  rolledBack(): void {
    this.#tails.forget()
  }

  /** Takes whole sources away by a statement on their records, which is run on the checksums too. */
  removeSources(kind: RecordKind, sql: string, rows: readonly unknown[][]): void {
    this.#tails.forget()
    for (const table of ['checksums', 'last_checksums']) {
      const statement = this.#statements.get(sql.replace(`${kind}_records`, `${kind}_${table}`))
      for (const row of rows) statement.run(...row)
    }
  }

  /** Stores records by `insert`, each once and in the order of their instants. */
  insert(kind: RecordKind, records: readonly Record[], insert: (row: Record) => void): void {
    const rows = isInOrder(records) ? records : records.toSorted(byPlace)
    for (let at = 0; at < rows.length;) {
      const [source, time] = rows[at]!
      const known = this.#find(kind, source, time)
      if (known !== undefined && time <= known.last) {
        at = this.#replace(kind, rows, at, known, known.last, insert)
        continue
      }
      const next = this.#next(kind, source, time)
      const isBefore = known === undefined && next !== undefined && next.count < CHECKSUM_RECORDS
      at = isBefore
        ? this.#replace(kind, rows, at, next, next.start - 1, insert)
        : this.#append(kind, rows, at, known, next?.start ?? Infinity, insert)
    }
  }

  /** Takes records away by `remove`, each span once. */
  remove(kind: RecordKind, spans: readonly Span[], remove: (span: Span) => void): void {
    const ordered = spans.toSorted(byPlace)
    for (let at = 0; at < ordered.length;) {
      const [source, from] = ordered[at]!
      let to = ordered[at]![2]
      let touched = this.#overlapping(kind, source, from, to)
      let end = at + 1
      // Those that touch the same checksums go together.
      while (end < ordered.length && ordered[end]![0] === source) {
        if (ordered[end]![1] > (touched.at(-1)?.last ?? -Infinity)) break
        to = Math.max(to, ordered[end++]![2])
        touched = this.#overlapping(kind, source, from, to)
      }
      const group = ordered.slice(at, end)
      const isGone = (sum: RecordChecksum) =>
        group.some(([, first, last]) => first <= sum.start && sum.last <= last)
      const cut = touched.filter((sum) => !isGone(sum) && this.#isSound(kind, source, sum))
      for (const span of group) remove(span)
      for (const sum of touched) if (isGone(sum)) this.#drop(kind, source, sum.start)
      for (const sum of cut) this.#renew(kind, source, sum)
      at = end
    }
  }

  /** Adds rows that lie behind a checksum and before the next one; returns the first that does not. */
  #append(
    kind: RecordKind,
    rows: readonly Record[],
    first: number,
    known: RecordChecksum | undefined,
    next: number,
    insert: (row: Record) => void,
  ): number {
    const [source] = rows[first]!
    let sum = known
    let at = first
    for (; at < rows.length; at++) {
      const [owner, time, record] = rows[at]!
      if (owner !== source || time >= next || (sum !== undefined && time <= sum.last)) break
      insert(rows[at]!)
      if (sum !== undefined && hasRoomFor(sum, time)) sum = addRecord(sum, time, record)
      else {
        if (at > first) this.#put(kind, source, sum!, rows[at - 1]![2])
        sum = checksumOf(source, time, record)
      }
    }
    this.#put(kind, source, sum!, rows[at - 1]![2])
    return at
  }

  /** Stores rows up to an instant in or before a checksum; returns the first that lies behind it. */
  #replace(
    kind: RecordKind,
    rows: readonly Record[],
    first: number,
    known: RecordChecksum,
    until: number,
    insert: (row: Record) => void,
  ): number {
    const [source, start] = rows[first]!
    const isSound = this.#isSound(kind, source, known)
    let at = first
    for (; at < rows.length; at++) {
      const [owner, time] = rows[at]!
      if (owner !== source || time > until) break
      insert(rows[at]!)
    }
    if (isSound) this.#renew(kind, source, known, Math.min(start, known.start))
    return at
  }

  #isSound(kind: RecordKind, source: number, sum: RecordChecksum): boolean {
    return matches(source, sum, this.#records(kind, source, sum))
  }

  /** Makes checksums of what there is now where there was one. */
  #renew(kind: RecordKind, source: number, old: RecordChecksum, start = old.start): void {
    const records = this.#records(kind, source, { ...old, start })
    const sums = checksumsOf(source, records)
    if (sums[0]?.start !== old.start) this.#drop(kind, source, old.start)
    let at = 0
    for (const sum of sums) this.#put(kind, source, sum, records[(at += sum.count) - 1]![1])
  }

  #records(kind: RecordKind, source: number, { start, last }: RecordChecksum) {
    const sql = `select time, record from ${kind}_records where source = ? and time between ? and ?`
    return this.#statements.all<[time: number, record: string]>(sql, source, start, last)
  }

  /** The last checksum that does not begin behind an instant. */
  #find(kind: RecordKind, source: number, time: number): RecordChecksum | undefined {
    const tail = this.#tails.get(kind, source)
    if (tail === undefined || tail.start <= time) return tail
    const sql = `select ${CHECKSUM_COLUMNS} from ${kind}_checksums
      where source = ? and start <= ? order by start desc limit 1`
    return this.#statements.all<ChecksumRow>(sql, source, time).map(toChecksum)[0]
  }

  /** The first checksum that begins behind an instant. */
  #next(kind: RecordKind, source: number, time: number): RecordChecksum | undefined {
    const tail = this.#tails.get(kind, source)
    if (tail === undefined || tail.start <= time) return undefined
    const sql = `select ${CHECKSUM_COLUMNS} from ${kind}_checksums
      where source = ? and start > ? order by start limit 1`
    return this.#statements.all<ChecksumRow>(sql, source, time).map(toChecksum)[0] ?? tail
  }

  #overlapping(kind: RecordKind, source: number, from: number, to: number): RecordChecksum[] {
    return this.#statements
      .all<ChecksumRow>(checksumsSql(kind), ...overlap(source, from, to))
      .map(toChecksum)
      .filter(({ last }) => last >= from)
  }

  #put(kind: RecordKind, source: number, sum: RecordChecksum, newest: string): void {
    const tail = this.#tails.get(kind, source)
    if (tail !== undefined && sum.start < tail.start) return this.#store(kind, source, sum)
    if (tail !== undefined && sum.start > tail.start) this.#store(kind, source, tail)
    this.#tails.set(kind, source, { ...sum, newest: crcOf(source, newest) })
  }

  #store(kind: RecordKind, source: number, sum: RecordChecksum): void {
    const sql = `insert or replace into ${kind}_checksums (source, ${CHECKSUM_COLUMNS})
      values (?, ?, ?, ?, ?, ?, ?)`
    this.#statements.get(sql).run(source, ...fromChecksum(sum))
  }

  #drop(kind: RecordKind, source: number, start: number): void {
    const sql = `delete from ${kind}_checksums where source = ? and start = ?`
    if (this.#tails.get(kind, source)?.start !== start) {
      this.#statements.get(sql).run(source, start)
      return
    }
    const before = this.#find(kind, source, start - 1)
    if (before === undefined) return this.#tails.delete(kind, source)
    this.#statements.get(sql).run(source, before.start)
    const records = this.#records(kind, source, before)
    // What is damaged has no newest record that is sound.
    const newest = matches(source, before, records) ? crcOf(source, records.at(-1)![1]) : -1
    this.#tails.set(kind, source, { ...before, newest })
  }
}

/** Of the same place the later one stays the later one. */
const byPlace = (one: readonly [number, number, ...unknown[]], other: typeof one): number =>
  one[0] - other[0] || one[1] - other[1]

function isInOrder(records: readonly Record[]): boolean {
  for (let at = 1; at < records.length; at++)
    if (byPlace(records[at - 1]!, records[at]!) > 0) return false
  return true
}
