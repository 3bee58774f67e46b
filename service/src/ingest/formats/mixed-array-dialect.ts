import { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import type { Dialect, LineResult } from './dialect.ts'
import { layoutByNumber, rowOf, type ColumnLayout } from './columns.ts'
import type { Mapping } from './mapping.ts'

/**
 * Files of older Campbell loggers: no header, records of several kinds in one file. The first column
 * has the array id, the number of the kind.
 */
export class MixedArrayDialect implements Dialect {
  readonly #fields: Fields
  readonly #layout: ColumnLayout
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
    // Columns are found by their numbers.
  }

  take(line: Line): LineResult {
    if (line.isBlank) return undefined
    const reason = this.#fields.split(line)
    if (reason !== undefined) return { reason }
    const id = this.#fields.text(0).trim()
    if (this.#arrayId === undefined || id === this.#arrayId)
      return rowOf(this.#fields, this.#layout)
    // A record of another array, unless the first column is not a number.
    return /^\d+$/.test(id) ? undefined : { reason: 'its first column is no array id' }
  }
}
