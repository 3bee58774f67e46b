import type { SqlReader } from '../engine.ts'
import { loadPart } from './sealed-parts.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { findInstant, type RecordList } from '../../../domain/records/record-list.ts'
import { openPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind } from '../../stores/records.ts'

type DecodedPart = { id: number; part: SealedPart; list?: RecordList }

/** A part or the gap between two, from an instant until another, the end not included. */
type Section = { source: number; start: number; until: number; decoded?: DecodedPart }

/** Finds sealed records by their instants; keeps the last part decoded. */
export class SealedRecords {
  readonly #kind: RecordKind
  #section: Section | undefined

  constructor(kind: RecordKind) {
    this.#kind = kind
  }

  /** Whether no further part has to be decoded for this instant. */
  covers(source: number, time: number): boolean {
    const section = this.#section
    return section?.source === source && time >= section.start && time < section.until
  }

  /** The text of a record, and its part; a part that is not decoded yet is read. */
  async find(
    reader: SqlReader,
    source: number,
    time: number,
  ): Promise<{ text: string; id: number; part: SealedPart } | undefined> {
    if (!this.covers(source, time))
      this.#section = { source, ...(await this.#load(reader, source, time)) }
    const decoded = this.#section?.decoded
    if (decoded?.list === undefined) return undefined
    const { id, part, list } = decoded
    const at = findInstant(list.times, time)
    const text = list.times[at] === time ? list.texts[at] : undefined
    return text && { text: Buffer.from(text).toString(), id, part }
  }

  /** The part that covers an instant, or the gap in which the instant lies. */
  async #load(reader: SqlReader, source: number, time: number): Promise<Omit<Section, 'source'>> {
    const row = await reader.row<[id: number, start: number, until: number]>(
      `select id, start, until from ${this.#kind}_sealed_parts
        where source = ? and until > ? order by until limit 1`,
      source,
      time,
    )
    if (row === undefined) return { start: time, until: Infinity }
    const [id, start, until] = row
    if (start > time) return { start: time, until: start }
    const part = await loadPart(reader, this.#kind, source, id)
    return { start, until, decoded: { id, part, ...decodeSound(part) } }
  }
}

/** Nothing of a damaged part: corrections of it are stored as open rows and stay readable. */
function decodeSound(part: SealedPart): { list?: RecordList } {
  try {
    return { list: openPart(part) }
  } catch (error) {
    if (error instanceof DamageError) return {}
    throw error
  }
}
