import type { Database, Statement as Prepared } from 'better-sqlite3'
import {
  CHECKSUM_COLUMNS,
  checksumsSql,
  fromChecksum,
  overlap,
  toChecksum,
  type ChecksumRow,
} from './checksum-rows.ts'
import { withoutHints } from './reader.ts'
import {
  addRecord,
  CHECKSUM_RECORDS,
  checksumOf,
  checksumsOf,
  matches,
  type RecordChecksum,
} from '../../domain/record-checksum.ts'
import type { RecordKind } from '../storage.ts'

type Record = readonly [source: number, time: number, record: string]
type Span = readonly [source: number, from: number, to: number]

/**
 * Keeps the checksums of open records true while these come, change and go.
 *
 * What is damaged stays so: its checksum is left as it is, whatever is written beside it.
 */
export class CheckedWrites {
  readonly #database: Database
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: Database) {
    this.#database = database
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
      if (sum !== undefined && sum.count < CHECKSUM_RECORDS) sum = addRecord(sum, time, record)
      else {
        if (at > first) this.#put(kind, source, sum!)
        sum = checksumOf(source, time, record)
      }
    }
    this.#put(kind, source, sum!)
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
    const sums = checksumsOf(source, this.#records(kind, source, { ...old, start }))
    if (sums[0]?.start !== old.start) this.#drop(kind, source, old.start)
    for (const sum of sums) this.#put(kind, source, sum)
  }

  #records(kind: RecordKind, source: number, { start, last }: RecordChecksum) {
    const sql = `select time, record from ${kind}_records where source = ? and time between ? and ?`
    return this.#tuples(sql).all(source, start, last) as [time: number, record: string][]
  }

  #find(kind: RecordKind, source: number, time: number): RecordChecksum | undefined {
    const sql = `select ${CHECKSUM_COLUMNS} from ${kind}_checksums
      where source = ? and start <= ? order by start desc limit 1`
    const row = this.#tuples(sql).get(source, time) as ChecksumRow | undefined
    return row && toChecksum(row)
  }

  #next(kind: RecordKind, source: number, time: number): RecordChecksum | undefined {
    const sql = `select ${CHECKSUM_COLUMNS} from ${kind}_checksums
      where source = ? and start > ? order by start limit 1`
    const row = this.#tuples(sql).get(source, time) as ChecksumRow | undefined
    return row && toChecksum(row)
  }

  #overlapping(kind: RecordKind, source: number, from: number, to: number): RecordChecksum[] {
    const rows = this.#tuples(checksumsSql(kind)).all(...overlap(source, from, to))
    return (rows as ChecksumRow[]).map(toChecksum).filter(({ last }) => last >= from)
  }

  #put(kind: RecordKind, source: number, sum: RecordChecksum): void {
    const sql = `insert or replace into ${kind}_checksums (source, ${CHECKSUM_COLUMNS})
      values (?, ?, ?, ?, ?, ?, ?)`
    this.#prepare(sql).run(source, ...fromChecksum(sum))
  }

  #drop(kind: RecordKind, source: number, start: number): void {
    this.#prepare(`delete from ${kind}_checksums where source = ? and start = ?`).run(source, start)
  }

  #tuples(sql: string): Prepared {
    const statement = this.#prepare(sql)
    return statement.raw()
  }

  #prepare(sql: string): Prepared {
    let statement = this.#prepared.get(sql)
    if (statement === undefined)
      this.#prepared.set(sql, (statement = this.#database.prepare(withoutHints(sql))))
    return statement
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
