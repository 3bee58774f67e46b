import type { SqlReader } from '../engine.ts'
import type { Statement } from '../statement.ts'
import { loadPart } from './sealed-parts.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { findInstant, type RecordList } from '../../../domain/records/record-list.ts'
import { openPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind } from '../../stores/records.ts'

type DecodedPart = { id: number; part: SealedPart; list?: RecordList }

/**
 * A part or the gap between two, from an instant until another, the end not included, and the first part
 * that ends after its start.
 */
type Section = {
  source: number
  start: number
  until: number
  first: number | null
  decoded?: DecodedPart
}

/** Finds sealed records by their instants; keeps the last part decoded, and a gap of each source. */
export class SealedRecords {
  readonly #kind: RecordKind
  readonly #read: [source: number, time: number, first: number | null][] = []
  #part: Section | undefined
  readonly #gaps = new Map<number, Section>()

  constructor(kind: RecordKind) {
    this.#kind = kind
  }

  /** Whether no further part has to be decoded for this instant. */
  covers(source: number, time: number): boolean {
    return this.#known(source, time) !== undefined
  }

  /** The text of a record, and its part; a part that is not decoded yet is read. */
  async find(
    reader: SqlReader,
    source: number,
    time: number,
  ): Promise<{ text: string; id: number; part: SealedPart } | undefined> {
    const { decoded } = this.#known(source, time) ?? (await this.#readSection(reader, source, time))
    if (decoded?.list === undefined) return undefined
    const { id, part, list } = decoded
    const at = findInstant(list.times, time)
    const text = list.times[at] === time ? list.texts[at] : undefined
    return text && { text: Buffer.from(text).toString(), id, part }
  }

  /** Guards that the parts and the gaps in which records were looked for are still the same. */
  guards(): Statement[] {
    if (this.#read.length === 0) return []
    const first = (source: string, time: string) => `select id from ${this.#kind}_sealed_parts
      where source = ${source} and until > ${time} order by until limit 1`
    return [
      {
        sql: `select 1 where (${first('?', '?')}) is not distinct from ?`,
        width: 3,
        values: this.#read.flat(),
        guards: 'rows',
        set: {
          sql: `select 1 from @given where (${first('c1', 'c2')}) is not distinct from c3`,
          types: ['bigint', 'bigint', 'bigint'],
        },
      },
    ]
  }

  #known(source: number, time: number): Section | undefined {
    return [this.#part, this.#gaps.get(source)].find(
      (one) => one?.source === source && time >= one.start && time < one.until,
    )
  }

  async #readSection(reader: SqlReader, source: number, time: number): Promise<Section> {
    const section: Section = { source, ...(await this.#load(reader, source, time)) }
    this.#read.push([source, section.start, section.first])
    if (section.decoded === undefined) this.#gaps.set(source, section)
    else this.#part = section
    return section
  }

  /** The part that covers an instant, or the gap in which the instant lies. */
  async #load(reader: SqlReader, source: number, time: number): Promise<Omit<Section, 'source'>> {
    const row = await reader.row<[id: number, start: number, until: number]>(
      `select id, start, until from ${this.#kind}_sealed_parts
        where source = ? and until > ? order by until limit 1`,
      source,
      time,
    )
    if (row === undefined) return { start: time, until: Infinity, first: null }
    const [id, start, until] = row
    if (start > time) return { start: time, until: start, first: id }
    const part = await loadPart(reader, this.#kind, source, id)
    return { start, until, first: id, decoded: { id, part, ...decodeSound(part) } }
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
