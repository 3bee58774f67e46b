import { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import type { Dialect, Taken } from './dialect.ts'
import { layoutByNumber, rowOf, type Layout } from './layout.ts'
import type { Mapping } from './mapping.ts'

/**
 * The files of Campbell's older loggers: no header, records of several kinds in one file, each
 * with the number of its kind, its array id, in the first column.
 */
export class MixedArrayDialect implements Dialect {
  readonly #fields: Fields
  readonly #layout: Layout
  readonly #arrayId: string | undefined
  readonly headerStart = 0
  readonly header = undefined
  readonly isReady = true

  constructor(mapping: Mapping) {
    this.#fields = new Fields(mapping)
    this.#layout = layoutByNumber(mapping)
    this.#arrayId = mapping.arrayId?.toString()
  }

  resume(): void {
    // Columns go by their numbers alone.
  }

  take(line: Line): Taken {
    if (line.isBlank) return undefined
    const reason = this.#fields.split(line)
    if (reason !== undefined) return { reason }
    const id = this.#fields.text(0).trim()
    if (this.#arrayId === undefined || id === this.#arrayId)
      return rowOf(this.#fields, this.#layout)
    // Another array; but a first column that is no number is no array at all.
    return /^\d+$/.test(id) ? undefined : { reason: 'its first column is no array id' }
  }
}
