import { setImmediate } from 'node:timers/promises'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { ConflictError, isConflict } from '../../../errors/conflict-error.ts'
import type { Statement } from '../../sql/statement.ts'
import type {
  PlaceRows,
  RecordBatch,
  RecordKeys,
  RecordKind,
  RecordRows,
  ReplacedCounts,
} from '../../stores/records.ts'
import type { Reader } from '../connection/reader.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { eachRecord, type RecordEntry } from './record-rows.ts'
import { findRemovals, type Removed } from './removals.ts'
import { guardPlaces } from './stored-places.ts'

/** What has to be written of a batch. */
export type CorrectedBatch = {
  rows: RecordBatch
  /** For each row the sealed record that it replaces; undefined where it replaces none. */
  sealed: Partial<Record<RecordKind, (string | undefined)[]>>
  /** The statements that delete records, and those records. */
  removals: Statement[]
  removed: Removed[]
  /** They refuse the write where a place is not as it is expected. */
  guards: Statement[]
}

type Deletions = Partial<Record<RecordKind, RecordKeys>>

type Places = { deletions: Deletions; expected: Partial<Record<RecordKind, PlaceRows>> }

type WriteCorrected = (batch: CorrectedBatch) => Promise<ReplacedCounts>

const ATTEMPTS = 20

/**
 * Writes records that arrive for sealed days, and deletes records.
 *
 * A correction is an open row, which readers take in place of the sealed record. The corrections are
 * counted here. A record that equals the sealed one is not written: a logger that sends its whole
 * memory again leaves sealed days unchanged.
 */
export class Corrections {
  readonly #reader: Reader
  /** Serial, so that of two corrections of the same record only one counts as the first. */
  readonly #queue = new SerialQueue()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Calls `write` with what has to be written; repeats it after a conflict with sealing. */
  async write(
    batch: RecordBatch,
    { deletions, expected }: Places,
    write: WriteCorrected,
    attempts: number = ATTEMPTS,
  ): Promise<ReplacedCounts> {
    const isPlain =
      !hasKeys(deletions) &&
      !this.#reachesSealed('theme', batch.theme) &&
      !this.#reachesSealed('raw', batch.raw) &&
      !this.#reachesSealed('theme', expected.theme) &&
      !this.#reachesSealed('raw', expected.raw)
    if (isPlain) {
      const guards = guardPlaces(this.#reader, expected)
      return write({ rows: batch, sealed: {}, removals: [], removed: [], guards })
    }

    return this.#queue.run(() =>
      this.#writeCorrected(batch, { deletions, expected }, write, attempts),
    )
  }

  async #writeCorrected(
    batch: RecordBatch,
    { deletions, expected }: Places,
    write: WriteCorrected,
    attempts: number,
  ): Promise<ReplacedCounts> {
    for (let attempt = 1; ; attempt++) {
      const theme = await this.#compare('theme', batch.theme)
      const raw = await this.#compare('raw', batch.raw)
      const found = this.#reader.snapshot(() => ({
        ...findRemovals(this.#reader, deletions),
        guards: guardPlaces(this.#reader, expected),
      }))
      try {
        const counts = await write({
          rows: { theme: theme.rows, raw: raw.rows },
          sealed: { theme: theme.sealed, raw: raw.sealed },
          ...found,
        })
        return {
          theme: { replaced: counts.theme.replaced + theme.replaced },
          raw: { replaced: counts.raw.replaced + raw.replaced },
        }
      } catch (error) {
        if (!isConflict(error, 'rows') || attempt >= attempts) throw error
      }
    }
  }

  #reachesSealed(kind: RecordKind, rows: RecordKeys | undefined): boolean {
    if (rows === undefined || rows.times.length === 0) return false
    const [end] =
      this.#reader.row<[number | null]>(`select max(until) from ${kind}_sealed_parts`) ?? []
    return typeof end === 'number' && rows.times.some((time) => time < end)
  }

  /** The rows that have to be written, and how many sealed records the whole batch replaces. */
  async #compare(kind: RecordKind, rows: RecordRows | undefined) {
    const areNew = rows?.areNew === true
    const kept: RecordRows = { sources: [], times: [], records: [], areNew }
    const sealedOfKept: (string | undefined)[] = []
    if (rows === undefined) return { rows: kept, sealed: sealedOfKept, replaced: 0 }
    const given = Array.from(eachRecord(rows))
    const sealed = new SealedRecords(this.#reader, kind)
    const equal = new Set<RecordEntry>()
    const replaced = new Map<RecordEntry, string>()
    let written: RecordEntry | undefined
    // In the order of source and time, so that each part is decoded once.
    for (const row of given.toSorted((a, b) => a.source - b.source || a.time - b.time)) {
      const { source, time, record } = row
      if (!sealed.covers(source, time)) await setImmediate()
      this.#reader.snapshot(() => {
        const known = sealed.find(source, time)?.text
        if (known === undefined) return
        if (areNew) throw new ConflictError('places', 'a sealed day has a record of this instant')
        const isRepeated = written?.source === source && written.time === time
        if (isRepeated || this.#isOpen(kind, source, time)) return
        replaced.set(row, known)
        if (known === record) equal.add(row)
      })
      if (!equal.has(row)) written = row
    }
    for (const row of given) {
      if (equal.has(row)) continue
      kept.sources.push(row.source)
      kept.times.push(row.time)
      kept.records.push(row.record)
      sealedOfKept.push(replaced.get(row))
    }
    return { rows: kept, sealed: sealedOfKept, replaced: replaced.size }
  }

  #isOpen(kind: RecordKind, source: number, time: number): boolean {
    const sql = `select 1 from ${kind}_records where source = ? and time = ?`
    return this.#reader.row(sql, source, time) !== undefined
  }
}

const hasKeys = (deletions: Deletions): boolean =>
  Object.values(deletions).some((keys) => keys !== undefined && keys.times.length > 0)
