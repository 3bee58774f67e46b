import type { SqlReader } from '../engine.ts'
import type { RecordKind } from '../../stores/records.ts'

/**
 * The end of the last sealed part of all sources: nothing after it can be a correction.
 *
 * It may be known from some time ago. A record that arrives for a day that another process has sealed
 * since is stored as an open row over its part, which is right; only a replaced record is not counted.
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

  /** Has to be called after this process has sealed something. */
  forget(): void {
    this.#known.clear()
  }
}
