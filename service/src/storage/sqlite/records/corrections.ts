import { isConflict } from '../../../errors/conflict-error.ts'
import { setImmediate } from 'node:timers/promises'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import type { Reader } from '../connection/reader.ts'
import { findRemovals } from './removals.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { type Statement } from '../../sql/engine.ts'
import type {
  RecordBatch,
  RecordKeys,
  RecordKind,
  RecordRows,
  ReplacedCount,
} from '../../storage.ts'

type Outcome = Record<RecordKind, ReplacedCount>

/** What has to be written. */
export type Corrected = {
  rows: RecordBatch
  /** Beside each row the sealed record that it replaces, if that is the one it replaces. */
  sealed: Partial<Record<RecordKind, (string | undefined)[]>>
  /** Takes away the records that shall be gone, and says what they were. */
  removals: Statement[]
  removed: Removed[]
}

export type Removed = { kind: RecordKind; source: number; time: number; text: string }

const ATTEMPTS = 20

/**
 * Records that arrive for sealed days, and records that go.
 *
 * What arrives is written beside what is sealed, and whoever reads takes it first. What it replaces
 * is counted here, and what is there already, letter by letter, is not written again: a logger that
 * sends its whole memory leaves sealed days as they are.
 */
export class Corrections {
  readonly #reader: Reader
  /** One after another, so that two of the same record do not both count as the first. */
  readonly #queue = new SerialQueue()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async around(
    batch: RecordBatch,
    gone: Partial<Record<RecordKind, RecordKeys>>,
    write: (corrected: Corrected) => Promise<Outcome>,
    attempts: number = ATTEMPTS,
  ): Promise<Outcome> {
    const isPlain =
      !hasKeys(gone) &&
      !this.#reachesBack('theme', batch.theme) &&
      !this.#reachesBack('raw', batch.raw)
    if (isPlain) return write({ rows: batch, sealed: {}, removals: [], removed: [] })

    return this.#queue.run(() => this.#attempt(batch, gone, write, attempts))
  }

  /** A part that is sealed anew between the look and the write is looked at again. */
  async #attempt(
    batch: RecordBatch,
    gone: Partial<Record<RecordKind, RecordKeys>>,
    write: (corrected: Corrected) => Promise<Outcome>,
    attempts: number,
  ): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      const theme = await this.#compare('theme', batch.theme)
      const raw = await this.#compare('raw', batch.raw)
      const removals = this.#reader.snapshot(() => findRemovals(this.#reader, gone))
      try {
        const outcome = await write({
          rows: { theme: theme.rows, raw: raw.rows },
          sealed: { theme: theme.sealed, raw: raw.sealed },
          ...removals,
        })
        return {
          theme: { replaced: outcome.theme.replaced + theme.replaced },
          raw: { replaced: outcome.raw.replaced + raw.replaced },
        }
      } catch (error) {
        if (!isConflict(error, 'rows') || attempt >= attempts) throw error
      }
    }
  }

  #reachesBack(kind: RecordKind, rows: RecordRows | undefined): boolean {
    if (rows === undefined || rows.times.length === 0) return false
    const [end] =
      this.#reader.row<[number | null]>(`select max(until) from ${kind}_sealed_parts`) ?? []
    return typeof end === 'number' && rows.times.some((time) => time < end)
  }

  /** What has to be written, and how many sealed records the whole batch replaces. */
  async #compare(kind: RecordKind, rows: RecordRows | undefined) {
    const kept: RecordRows = { sources: [], times: [], records: [] }
    const sealedOfKept: (string | undefined)[] = []
    if (rows === undefined) return { rows: kept, sealed: sealedOfKept, replaced: 0 }
    const { sources, times, records } = rows
    const sealed = new SealedRecords(this.#reader, kind)
    const isThere = new Set<number>()
    const replacedBy = new Map<number, string>()
    // In the order of source and time, so that one part after another is opened.
    const order = times
      .keys()
      .toArray()
      .toSorted((a, b) => sources[a]! - sources[b]! || times[a]! - times[b]! || a - b)
    let written: number | undefined
    for (const at of order) {
      const source = sources[at]!
      const time = times[at]!
      if (!sealed.holds(source, time)) await setImmediate()
      this.#reader.snapshot(() => {
        const known = sealed.find(source, time)?.text
        if (known === undefined) return
        const isRepeated =
          written !== undefined && sources[written] === source && times[written] === time
        if (isRepeated || this.#isOpen(kind, source, time)) return
        replacedBy.set(at, known)
        if (known === records[at]) isThere.add(at)
      })
      if (!isThere.has(at)) written = at
    }
    for (const at of times.keys()) {
      if (isThere.has(at)) continue
      kept.sources.push(sources[at]!)
      kept.times.push(times[at]!)
      kept.records.push(records[at]!)
      sealedOfKept.push(replacedBy.get(at))
    }
    return { rows: kept, sealed: sealedOfKept, replaced: replacedBy.size }
  }

  #isOpen(kind: RecordKind, source: number, time: number): boolean {
    const sql = `select 1 from ${kind}_records where source = ? and time = ?`
    return this.#reader.row(sql, source, time) !== undefined
  }
}

const hasKeys = (gone: Partial<Record<RecordKind, RecordKeys>>): boolean =>
  Object.values(gone).some((keys) => keys !== undefined && keys.times.length > 0)
