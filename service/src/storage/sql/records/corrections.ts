import { setImmediate } from 'node:timers/promises'
import { InOrder } from '../../../concurrency/in-order.ts'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { ConflictError, isConflict } from '../../../errors/conflict-error.ts'
import type { Statement } from '../statement.ts'
import type {
  PlaceRows,
  RecordBatch,
  RecordKeys,
  RecordKind,
  RecordRows,
  ReplacedCounts,
} from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import type { SealedEnds } from '../sealed-days/sealed-ends.ts'
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

type OpenGuards = Statement[] | undefined

type WriteCorrected = (batch: CorrectedBatch) => Promise<ReplacedCounts>

const KINDS = ['theme', 'raw'] as const

const ATTEMPTS = 20

/**
 * Writes records that arrive for sealed days, and deletes records.
 *
 * A correction is an open row, which readers take in place of the sealed record. The corrections are
 * counted here. A record that equals the sealed one is not written: a logger that sends its whole
 * memory again leaves sealed days unchanged.
 */
export class Corrections {
  readonly #reader: SqlReader
  readonly #ends: SealedEnds
  /** Serial, so that of two corrections of the same record only one counts as the first. */
  readonly #queue = new SerialQueue()
  /** Other writes are sent in the order in which they were computed, each from those before it. */
  readonly #order = new InOrder()
  readonly #running = new Set<Promise<unknown>>()

  constructor(reader: SqlReader, ends: SealedEnds) {
    this.#reader = reader
    this.#ends = ends
  }

  /** Calls `write` with what has to be written; repeats it after a conflict with sealing. */
  write(
    batch: RecordBatch,
    places: Places,
    write: WriteCorrected,
    attempts: number = ATTEMPTS,
  ): Promise<ReplacedCounts> {
    const running = this.#begin(batch, places, write, attempts)
    this.#running.add(running)
    const end = (): void => void this.#running.delete(running)
    running.then(end, end)
    return running
  }

  /** Resolves when every write that has begun has ended. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async #begin(
    batch: RecordBatch,
    { deletions, expected }: Places,
    write: WriteCorrected,
    attempts: number,
  ): Promise<ReplacedCounts> {
    const writeCorrected = () =>
      this.#queue.run(() => this.#writeCorrected(batch, { deletions, expected }, write, attempts))
    if (hasKeys(deletions)) {
      await this.#order.sent()
      return writeCorrected()
    }
    try {
      return await this.#order.run(
        () => this.#guardOpen(batch, expected),
        (guards) =>
          guards === undefined
            ? writeCorrected()
            : write({ rows: batch, sealed: {}, removals: [], removed: [], guards }),
      )
    } catch (error) {
      if (!isConflict(error, 'sealed')) throw error
      this.#ends.forget()
      return writeCorrected()
    }
  }

  /**
   * Guards of a write that reaches no sealed day; undefined where it does. At once where the ends of
   * the sealed days are known, and nothing is expected.
   */
  #guardOpen(batch: RecordBatch, expected: Places['expected']): OpenGuards | Promise<OpenGuards> {
    const kinds = KINDS.filter((kind) => hasRows(batch[kind]) || hasRows(expected[kind]))
    const ends = kinds.map((kind) => this.#ends.of(kind))
    const guard = (known: readonly number[]): OpenGuards =>
      this.#guardSealed(batch, expected, kinds, known)
    if (ends.every((end) => typeof end === 'number') && !KINDS.some((kind) => expected[kind]))
      return guard(ends)
    return Promise.all(ends).then(async (known) => {
      const guards = guard(known)
      return guards && [...guards, ...(await guardPlaces(this.#reader, expected))]
    })
  }

  #guardSealed(
    batch: RecordBatch,
    expected: Places['expected'],
    kinds: readonly RecordKind[],
    ends: readonly number[],
  ): OpenGuards {
    const guards: Statement[] = []
    for (const [at, kind] of kinds.entries())
      for (const rows of [batch[kind], expected[kind]]) {
        if (rows === undefined || !hasRows(rows)) continue
        const end = ends[at] ?? Infinity
        if (rows.times.some((time) => time < end)) return undefined
        guards.push(...this.#ends.guards(kind, rows))
      }
    return guards
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
      const found = await this.#reader.snapshot(async (one) => ({
        ...(await findRemovals(one, deletions)),
        guards: await guardPlaces(one, expected),
      }))
      const guards = [...theme.guards, ...raw.guards, ...found.guards]
      try {
        const counts = await write({
          rows: { theme: theme.rows, raw: raw.rows },
          sealed: { theme: theme.sealed, raw: raw.sealed },
          ...found,
          guards,
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

  /** The rows that have to be written, and how many sealed records the whole batch replaces. */
  async #compare(kind: RecordKind, rows: RecordRows | undefined) {
    const areNew = rows?.areNew === true
    const kept: RecordRows = { sources: [], times: [], records: [], areNew }
    const sealedOfKept: (string | undefined)[] = []
    if (rows === undefined) return { rows: kept, sealed: sealedOfKept, replaced: 0, guards: [] }
    const given = Array.from(eachRecord(rows))
    const sealed = new SealedRecords(kind)
    const equal = new Set<RecordEntry>()
    const replaced = new Map<RecordEntry, string>()
    let written: RecordEntry | undefined
    // In the order of source and time, so that each part is decoded once.
    for (const row of given.toSorted((a, b) => a.source - b.source || a.time - b.time)) {
      const { source, time, record } = row
      if (!sealed.covers(source, time)) await setImmediate()
      await this.#reader.snapshot(async (one) => {
        const known = (await sealed.find(one, source, time))?.text
        if (known === undefined) return
        if (areNew) throw new ConflictError('places', 'a sealed day has a record of this instant')
        const isRepeated = written?.source === source && written.time === time
        if (isRepeated || (await isOpen(one, kind, source, time))) return
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
    return { rows: kept, sealed: sealedOfKept, replaced: replaced.size, guards: sealed.guards() }
  }
}

async function isOpen(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  time: number,
): Promise<boolean> {
  const sql = `select 1 from ${kind}_records where source = ? and time = ?`
  return (await reader.row(sql, source, time)) !== undefined
}

const hasRows = (rows: RecordKeys | undefined): boolean =>
  rows !== undefined && rows.times.length > 0

const hasKeys = (deletions: Deletions): boolean => Object.values(deletions).some(hasRows)
