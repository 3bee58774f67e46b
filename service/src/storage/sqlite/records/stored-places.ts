import type { Statement } from '../../sql/statement.ts'
import type { PlaceRows, RecordKeys, RecordKind, StoredPlace } from '../../stores/records.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import type { Reader } from '../connection/reader.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { findOpenText } from './find-open-text.ts'
import { findMarks } from './marks.ts'
import { eachKey } from './record-rows.ts'

const KINDS = ['theme', 'raw'] as const

/** A span that has at most this many times its places is read at once, instead of place by place. */
const DENSITY = 2
const FEWEST_AT_ONCE = 4

/** What is stored at some places, in their order; open, sealed and marks without a record. */
export const findStored = (reader: Reader, kind: RecordKind, keys: RecordKeys): StoredPlace[] =>
  reader.snapshot(() => {
    const finder = new PlaceFinder(reader, kind, keys)
    return Array.from(eachKey(keys), ({ source, time }) => {
      const { open, sealed } = finder.find(source, time)
      return { record: open ?? sealed ?? null, marks: finder.findMarks(source, time) }
    })
  })

/**
 * Guards that refuse a write where a place has changed since the write was computed. Sealed records are
 * compared here: a correction of a sealed day is an open row, which the guards see.
 */
export function guardPlaces(
  reader: Reader,
  expected: Partial<Record<RecordKind, PlaceRows>>,
): Statement[] {
  return KINDS.flatMap((kind) => {
    const rows = expected[kind]
    if (rows === undefined || rows.times.length === 0) return []
    const finder = new PlaceFinder(reader, kind, rows)
    const records: unknown[] = []
    const marks: unknown[] = []
    let at = 0
    for (const { source, time } of eachKey(rows)) {
      const before = rows.stored[at++]
      if (before === undefined) throw new RangeError('the columns of places must be equally long')
      const { open, sealed } = finder.find(source, time)
      if ((open ?? sealed ?? null) !== before.record)
        throw new ConflictError('places', 'another writer has changed a record')
      records.push(source, time, open ?? null)
      marks.push(source, time, before.marks)
    }
    return [
      { sql: guardSql(`${kind}_records`, 'record'), width: 3, values: records, guards: 'places' },
      { sql: guardSql(`${kind}_marks`, 'marks'), width: 3, values: marks, guards: 'places' },
    ]
  })
}

const guardSql = (table: string, column: string): string =>
  `select 1 where (select ${column} from ${table} where source = ? and time = ?) is ?`

/** Finds what is stored at places; the open rows of dense places by one query for each source. */
class PlaceFinder {
  readonly #reader: Reader
  readonly #kind: RecordKind
  readonly #sealed: SealedRecords
  readonly #spans: Map<number, SourceSpan>

  constructor(reader: Reader, kind: RecordKind, keys: RecordKeys) {
    this.#reader = reader
    this.#kind = kind
    this.#sealed = new SealedRecords(reader, kind)
    this.#spans = spansOf(keys)
  }

  find(source: number, time: number): { open?: string; sealed?: string } {
    const open = this.#findIn('record', source, time)
    if (open !== undefined) return { open }
    const sealed = this.#sealed.find(source, time)?.text
    return sealed === undefined ? {} : { sealed }
  }

  findMarks(source: number, time: number): string | null {
    return this.#findIn('marks', source, time) ?? null
  }

  #findIn(what: 'record' | 'marks', source: number, time: number): string | undefined {
    const span = this.#spans.get(source)
    if (span === undefined || span.count < FEWEST_AT_ONCE) return this.#findOne(what, source, time)
    const read = (span[what] ??= this.#readSpan(what, source, span))
    return read === 'dense' ? this.#findOne(what, source, time) : read.get(time)
  }

  #findOne(what: 'record' | 'marks', source: number, time: number): string | undefined {
    const find = what === 'record' ? findOpenText : findMarks
    return find(this.#reader, this.#kind, source, time)
  }

  #readSpan(
    what: 'record' | 'marks',
    source: number,
    { from, to, count }: SourceSpan,
  ): ReadonlyMap<number, string> | 'dense' {
    const most = count * DENSITY
    const table = what === 'record' ? `${this.#kind}_records` : `${this.#kind}_marks`
    const rows = this.#reader.rows<[time: number, text: string]>(
      `select time, ${what} from ${table} where source = ? and time between ? and ? limit ?`,
      source,
      from,
      to,
      most + 1,
    )
    return rows.length > most ? 'dense' : new Map(rows)
  }
}

/** The first and last place of a source, their number, and the texts between them once they are read. */
type SourceSpan = {
  from: number
  to: number
  count: number
  record?: ReadonlyMap<number, string> | 'dense'
  marks?: ReadonlyMap<number, string> | 'dense'
}

function spansOf(keys: RecordKeys): Map<number, SourceSpan> {
  const spans = new Map<number, SourceSpan>()
  for (const { source, time } of eachKey(keys)) {
    const span = spans.getOrInsertComputed(source, () => ({ from: time, to: time, count: 0 }))
    span.from = Math.min(span.from, time)
    span.to = Math.max(span.to, time)
    span.count++
  }
  return spans
}

/** The last instant at which a source has a record, open or sealed, or marks. */
export function findLast(reader: Reader, kind: RecordKind, source: number): number | null {
  const sql = `select max(last) from (${[
    `${lastTimeOf(`${kind}_records`)} as last`,
    lastTimeOf(`${kind}_marks`),
    `select (select last from ${kind}_sealed_parts where source = ? order by start desc limit 1)`,
  ].join(' union all ')})`
  return reader.row<[number | null]>(sql, source, source, source)?.[0] ?? null
}

const lastTimeOf = (table: string): string =>
  `select (select time from ${table} where source = ? order by time desc limit 1)`
