import type { SqlReader } from '../engine.ts'
import type { RecordKeys, RecordKind } from '../../stores/records.ts'
import type { Statement } from '../statement.ts'

/** Records younger than this are of no day that another process may have sealed meanwhile. */
const YOUNG_MILLISECONDS = 12 * 3_600_000

/**
 * The end of the last sealed part of all sources: nothing after it can be a correction.
 *
 * It may be known from some time ago, so a write of older records is guarded against a day that another
 * process has sealed since.
 */
export class SealedEnds {
  readonly #reader: SqlReader
  readonly #maxAgeMilliseconds: number
  readonly #known = new Map<RecordKind, { end: number; at: number }>()

  constructor(reader: SqlReader, maxAgeMilliseconds: number) {
    this.#reader = reader
    this.#maxAgeMilliseconds = maxAgeMilliseconds
  }

  async of(kind: RecordKind): Promise<number> {
    const known = this.#known.get(kind)
    if (known !== undefined && performance.now() - known.at < this.#maxAgeMilliseconds)
      return known.end
    const at = performance.now()
    const [end] =
      (await this.#reader.row<[number | null]>(`select max(until) from ${kind}_sealed_parts`)) ?? []
    const found = end ?? -Infinity
    if (this.#maxAgeMilliseconds > 0) this.#known.set(kind, { end: found, at })
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
