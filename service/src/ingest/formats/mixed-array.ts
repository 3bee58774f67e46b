import type { Dialect, Taken } from './dialect.ts'
import { splitFields } from './fields.ts'
import { layoutByNumber, misfit, type Layout } from './layout.ts'
import type { Line } from './lines.ts'
import type { Mapping } from './mapping.ts'

/**
 * The files of Campbell's older loggers: no header, records of several kinds in one file, each
 * with the number of its kind, its array id, in the first column.
 */
export class MixedArrayDialect implements Dialect {
  readonly #mapping: Mapping
  readonly #layout: Layout
  readonly #arrayId: string | undefined
  readonly headerStart = 0
  readonly header = undefined
  readonly isReady = true

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    this.#layout = layoutByNumber(mapping)
    this.#arrayId = mapping.arrayId?.toString()
  }

  resume(): void {
    // Columns go by their numbers alone.
  }

  take(line: Line): Taken {
    if (line.text.trim() === '') return undefined
    const fields = splitFields(line.text, this.#mapping.delimiter)
    if (!Array.isArray(fields)) return fields
    if (this.#arrayId !== undefined && fields[0]?.trim() !== this.#arrayId) {
      // Another array; but a first column that is no number is no array at all.
      return /^\s*\d+\s*$/.test(fields[0] ?? '')
        ? undefined
        : { reason: 'its first column is no array id' }
    }
    const reason = misfit(fields, this.#layout)
    return reason === undefined ? { fields, layout: this.#layout } : { reason }
  }
}
