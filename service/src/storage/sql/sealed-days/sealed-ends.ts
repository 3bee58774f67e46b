import type { SqlReader } from '../engine.ts'
import type { RecordKeys, RecordKind } from '../../stores/records.ts'
import type { Statement } from '../statement.ts'

/** Records younger than this are of no day that another process may have sealed meanwhile. */
const YOUNG_MILLISECONDS = 12 * 3_600_000

/** How long the end is known. */
const KNOWN_MILLISECONDS = 1_000

/**
 * The end of the last sealed part of all sources: nothing after it can be a correction.
 *
 * It may be known from some time ago, so a write of older records is guarded against a day that another
 * process has sealed since.
 */
export class SealedEnds {
  readonly #reader: SqlReader
  readonly #known = new Map<RecordKind, { end: number; at: number }>()

  constructor(reader: SqlReader) {
    this.#reader = reader
  }

  /** At once where it is known. */
  of(kind: RecordKind): number | Promise<number> {
    const known = this.#known.get(kind)
    const isFresh = known !== undefined && performance.now() - known.at < KNOWN_MILLISECONDS
    return isFresh ? known.end : this.#read(kind)
  }

  async #read(kind: RecordKind): Promise<number> {
    const at = performance.now()
    const [end] =
      (await this.#reader.row<[number | null]>(`select max(until) from ${kind}_sealed_parts`)) ?? []
    const found = end ?? -Infinity
    this.#known.set(kind, { end: found, at })
    return found
  }

  /** Guards that nothing is sealed at these places or after them. */
  guards(kind: RecordKind, { sources, times }: RecordKeys): Statement[] {
    const young = Date.now() - YOUNG_MILLISECONDS
    const first = new Map<number, number>()
    for (const [at, time] of times.entries()) {
      const source = sources[at]
      if (source === undefined) throw new RangeError('the columns of places must be equally long')
      if (time < young && time < (first.get(source) ?? Infinity)) first.set(source, time)
    }
    if (first.size === 0) return []
    if (!this.#reader.dialect.isRemote) return [guardTogether(kind, Math.min(...first.values()))]
    const after = (source: string, time: string) =>
      `not exists (select 1 from ${kind}_sealed_parts where source = ${source} and until > ${time})`
    return [
      {
        sql: `select 1 where ${after('?', '?')}`,
        width: 2,
        values: Array.from(first).flat(),
        guards: 'sealed',
        passes: `select 1 from ${kind}_sealed_parts
          where source = any(?::bigint[]) and until > ? limit 1`,
        set: {
          sql: `select 1 from @given where ${after('c1', 'c2')}`,
          types: ['bigint', 'bigint'],
        },
      },
    ]
  }

  /** Has to be called after something was sealed. */
  forget(): void {
    this.#known.clear()
  }
}

/** Guards that nothing of any source is sealed after an instant. */
const guardTogether = (kind: RecordKind, time: number): Statement => ({
  sql: `select 1 where coalesce((select max(until) from ${kind}_sealed_parts) <= ?, true)`,
  width: 1,
  values: [time],
  guards: 'sealed',
})
