import { setImmediate } from 'node:timers/promises'
import type { Reader } from './reader.ts'
import { loadPart } from './sealed.ts'
import { findInstant, type RecordList } from '../../domain/record-list.ts'
import { DamageError } from '../../domain/damage-error.ts'
import { openPart, type SealedPart } from '../../domain/sealed-part.ts'
import type { DataStore, RecordKind, RecordRows } from '../storage.ts'

type Batch = Parameters<DataStore['write']>[0]
type Outcome = Awaited<ReturnType<DataStore['write']>>

/**
 * Records that arrive for sealed days.
 *
 * They are written beside what is sealed, and whoever reads takes them first. What they replace is
 * counted here, and what is there already, letter by letter, is not written again: a logger that
 * sends its whole memory leaves sealed days as they are.
 */
export class Corrections {
  readonly #reader: Reader
  /** One after another, so that two of the same record do not both count as the first. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async around(batch: Batch, write: (batch: Batch) => Promise<Outcome>): Promise<Outcome> {
    if (!this.#reachesBack('theme', batch.theme) && !this.#reachesBack('raw', batch.raw))
      return write(batch)

    const turn = this.#last.then(async () => {
      const theme = await this.#compare('theme', batch.theme)
      const raw = await this.#compare('raw', batch.raw)
      const outcome = await write({ theme: theme.rows, raw: raw.rows })
      return {
        theme: { replaced: outcome.theme.replaced + theme.replaced },
        raw: { replaced: outcome.raw.replaced + raw.replaced },
      }
    })
    this.#last = turn.catch(() => undefined)
    return turn
  }

  #reachesBack(kind: RecordKind, rows: RecordRows | undefined): boolean {
    if (rows === undefined || rows.times.length === 0) return false
    const [end] = this.#reader.row<[number | null]>(`select max(until) from ${kind}_sealed`) ?? []
    return typeof end === 'number' && rows.times.some((time) => time < end)
  }

  /** What has to be written, and how many sealed records the whole batch replaces. */
  async #compare(kind: RecordKind, rows: RecordRows | undefined) {
    const kept: RecordRows = { sources: [], times: [], records: [] }
    if (rows === undefined) return { rows: kept, replaced: 0 }
    const { sources, times, records } = rows
    const sealed = new SealedRecords(this.#reader, kind)
    const isThere = new Set<number>()
    let replaced = 0
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
        const known = sealed.find(source, time)
        if (known === undefined) return
        const isRepeated =
          written !== undefined && sources[written] === source && times[written] === time
        if (isRepeated || this.#isOpen(kind, source, time)) return
        replaced++
        if (known === records[at]) isThere.add(at)
      })
      if (!isThere.has(at)) written = at
    }
    for (const at of times.keys()) {
      if (isThere.has(at)) continue
      kept.sources.push(sources[at]!)
      kept.times.push(times[at]!)
      kept.records.push(records[at]!)
    }
    return { rows: kept, replaced }
  }

  #isOpen(kind: RecordKind, source: number, time: number): boolean {
    const sql = `select 1 from ${kind}_records where source = ? and time = ?`
    return this.#reader.row(sql, source, time) !== undefined
  }
}

/** Sealed records by their instants; the part that was looked at last stays open. */
class SealedRecords {
  readonly #reader: Reader
  readonly #kind: RecordKind
  #part: { source: number; start: number; until: number; list?: RecordList } | undefined

  constructor(reader: Reader, kind: RecordKind) {
    this.#reader = reader
    this.#kind = kind
  }

  /** Whether a part need not be opened for this instant. */
  holds(source: number, time: number): boolean {
    const part = this.#part
    return part?.source === source && time >= part.start && time < part.until
  }

  find(source: number, time: number): string | undefined {
    if (!this.holds(source, time)) this.#part = { source, ...this.#load(source, time) }
    const list = this.#part?.list
    if (list === undefined) return undefined
    const at = findInstant(list.times, time)
    return list.times[at] === time ? Buffer.from(list.texts[at]!).toString() : undefined
  }

  /** The part that holds an instant, or the gap in which it lies. */
  #load(source: number, time: number) {
    const row = this.#reader.row<[id: number, start: number, until: number]>(
      `select id, start, until from ${this.#kind}_sealed
        where source = ? and until > ? order by until limit 1`,
      source,
      time,
    )
    if (row === undefined) return { start: time, until: Infinity }
    const [id, start, until] = row
    if (start > time) return { start: time, until: start }
    return { start, until, ...openSound(loadPart(this.#reader, this.#kind, id)) }
  }
}

/** Of a damaged part nothing is known; what comes is written beside it and not lost with it. */
function openSound(part: SealedPart): { list?: RecordList } {
  try {
    return { list: openPart(part) }
  } catch (error) {
    if (error instanceof DamageError) return {}
    throw error
  }
}
