import type { Statement } from '../statement.ts'
import type { PlaceRows, RecordKeys, RecordKind, StoredPlace } from '../../stores/records.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import type { Condition } from '../dialect.ts'
import type { SqlReader } from '../engine.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { findOpenText } from './find-open-text.ts'
import { findMarks } from './marks.ts'
import { eachKey } from './record-rows.ts'

const KINDS = ['theme', 'raw'] as const

/** A span that has at most this many times its places is read at once, instead of place by place. */
const DENSITY = 2
const FEWEST_AT_ONCE = 4

/** What is stored at some places, in their order; open, sealed and marks without a record. */
export const findStored = (
  reader: SqlReader,
  kind: RecordKind,
  keys: RecordKeys,
): Promise<StoredPlace[]> =>
  reader.snapshot(async (one) => {
    const finder = new PlaceFinder(one, kind, keys)
    const places: StoredPlace[] = []
    for (const { source, time } of eachKey(keys)) {
      const { open, sealed } = await finder.find(source, time)
      const marks = await finder.findMarks(source, time)
      places.push({ record: open ?? sealed ?? null, marks })
    }
    return places
  })

/**
 * Guards that refuse a write where a place has changed since the write was computed. Sealed records are
 * compared here, and guarded by their parts: a correction of a sealed day is an open row, which the
 * guards see.
 */
export async function guardPlaces(
  reader: SqlReader,
  expected: Partial<Record<RecordKind, PlaceRows>>,
): Promise<Statement[]> {
  const guards: Statement[] = []
  for (const kind of KINDS) {
    const rows = expected[kind]
    if (rows === undefined || rows.times.length === 0) continue
    const finder = new PlaceFinder(reader, kind, rows)
    const records: unknown[] = []
    const marks: unknown[] = []
    let at = 0
    for (const { source, time } of eachKey(rows)) {
      const before = rows.stored[at++]
      if (before === undefined) throw new RangeError('the columns of places must be equally long')
      const { open, sealed } = await finder.find(source, time)
      if ((open ?? sealed ?? null) !== before.record)
        throw new ConflictError('places', 'another writer has changed a record')
      records.push(source, time, open ?? null)
      marks.push(source, time, before.marks)
    }
    guards.push(
      { ...guardPlace(`${kind}_records`, 'record'), values: records, guards: 'places' },
      { ...guardPlace(`${kind}_marks`, 'marks'), values: marks, guards: 'places' },
      ...finder.sealedGuards(),
    )
  }
  return guards
}

/** A query that finds each place at which a column still has the text that is given. */
export const guardPlace = (
  table: string,
  column: string,
): Pick<Statement, 'sql' | 'width' | 'set'> => ({
  sql: `select 1 where (select ${column} from ${table} where source = ? and time = ?)
    is not distinct from ?`,
  width: 3,
  set: {
    sql: `select 1 from @given where (select ${column} from ${table} where source = c1 and time = c2)
      is not distinct from c3`,
    types: ['bigint', 'bigint', 'text'],
  },
})

/** Finds what is stored at places; the open rows of dense places by one query for each source. */
class PlaceFinder {
  readonly #reader: SqlReader
  readonly #kind: RecordKind
  readonly #sealed: SealedRecords
  readonly #spans: Map<number, SourceSpan>

  constructor(reader: SqlReader, kind: RecordKind, keys: RecordKeys) {
    this.#reader = reader
    this.#kind = kind
    this.#sealed = new SealedRecords(kind)
    this.#spans = spansOf(keys)
  }

  async find(source: number, time: number): Promise<{ open?: string; sealed?: string }> {
    const open = await this.#findIn('record', source, time)
    if (open !== undefined) return { open }
    const sealed = (await this.#sealed.find(this.#reader, source, time))?.text
    return sealed === undefined ? {} : { sealed }
  }

  sealedGuards(): Statement[] {
    return this.#sealed.guards()
  }

  async findMarks(source: number, time: number): Promise<string | null> {
    return (await this.#findIn('marks', source, time)) ?? null
  }

  async #findIn(
    what: 'record' | 'marks',
    source: number,
    time: number,
  ): Promise<string | undefined> {
    const span = this.#spans.get(source)
    if (span === undefined || span.count < FEWEST_AT_ONCE) return this.#findOne(what, source, time)
    const read = (span[what] ??= await this.#readSpan(what, source, span))
    return read === 'dense' ? this.#findOne(what, source, time) : read.get(time)
  }

  #findOne(what: 'record' | 'marks', source: number, time: number): Promise<string | undefined> {
    const find = what === 'record' ? findOpenText : findMarks
    return find(this.#reader, this.#kind, source, time)
  }

  async #readSpan(
    what: 'record' | 'marks',
    source: number,
    { from, to, count }: SourceSpan,
  ): Promise<ReadonlyMap<number, string> | 'dense'> {
    const most = count * DENSITY
    const table = what === 'record' ? `${this.#kind}_records` : `${this.#kind}_marks`
    const rows = await this.#reader.rows<[time: number, text: string]>(
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

/** A query for the last instant at which a source has a record, open or sealed, or marks. */
export function lastQuery(kind: RecordKind, source: number | 'given.source'): Condition {
  const own = typeof source === 'number' ? '?' : source
  const lastTimeOf = (table: string): string =>
    `select (select time from ${table} where source = ${own} order by time desc limit 1)`
  const sql = `select max(last) from (${[
    `${lastTimeOf(`${kind}_records`)} as last`,
    lastTimeOf(`${kind}_marks`),
    `select (select last from ${kind}_sealed_parts where source = ${own}
      order by start desc limit 1)`,
  ].join(' union all ')}) as ends`
  return { sql, values: typeof source === 'number' ? [source, source, source] : [] }
}
