import type { Reader } from '../connection/reader.ts'
import { loadPart } from './sealed-parts.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { findInstant, type RecordList } from '../../../domain/records/record-list.ts'
import { openPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind } from '../../storage.ts'

type Opened = { id: number; part: SealedPart; list?: RecordList }
type Stretch = { source: number; start: number; until: number; opened?: Opened }

/** Sealed records by their instants; the part that was looked at last stays open. */
export class SealedRecords {
  readonly #reader: Reader
  readonly #kind: RecordKind
  #stretch: Stretch | undefined

  constructor(reader: Reader, kind: RecordKind) {
    this.#reader = reader
    this.#kind = kind
  }

  /** Whether a part need not be opened for this instant. */
  holds(source: number, time: number): boolean {
    const stretch = this.#stretch
    return stretch?.source === source && time >= stretch.start && time < stretch.until
  }

  /** The record's text, and the part it lies in. */
  find(source: number, time: number): { text: string; id: number; part: SealedPart } | undefined {
    if (!this.holds(source, time)) this.#stretch = { source, ...this.#load(source, time) }
    const opened = this.#stretch?.opened
    if (opened?.list === undefined) return undefined
    const { id, part, list } = opened
    const at = findInstant(list.times, time)
    if (list.times[at] !== time) return undefined
    return { text: Buffer.from(list.texts[at]!).toString(), id, part }
  }

  /** The part that holds an instant, or the gap in which it lies. */
  #load(source: number, time: number): Omit<Stretch, 'source'> {
    const row = this.#reader.row<[id: number, start: number, until: number]>(
      `select id, start, until from ${this.#kind}_sealed_parts
        where source = ? and until > ? order by until limit 1`,
      source,
      time,
    )
    if (row === undefined) return { start: time, until: Infinity }
    const [id, start, until] = row
    if (start > time) return { start: time, until: start }
    const part = loadPart(this.#reader, this.#kind, id)
    return { start, until, opened: { id, part, ...openSound(part) } }
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
