import type { Dialect, Taken } from './dialect.ts'
import { splitFields } from './fields.ts'
import { RefusedError } from '../../domain/refused-error.ts'
import { layoutByNumber, layoutOf, misfit, type Layout } from './layout.ts'
import type { Line } from './lines.ts'
import type { Mapping } from './mapping.ts'

/** Delimited text whose columns are named by one line, or by their numbers. */
export class CsvDialect implements Dialect {
  readonly #mapping: Mapping
  readonly headerStart = 0
  #layout: Layout | undefined
  #lines = 0

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    if (mapping.headerRow === 0) this.#layout = layoutByNumber(mapping)
  }

  get isReady(): boolean {
    return this.#lines >= this.#mapping.skipLines
  }

  take(line: Line): Taken {
    const { delimiter, headerRow } = this.#mapping
    const isRow = this.isReady
    this.#lines = Math.max(this.#lines, line.number)
    if (!isRow && line.number !== headerRow) return undefined
    const fields = splitFields(line.text, delimiter)
    if (!isRow) {
      if (!Array.isArray(fields))
        throw new RefusedError('invalid', `line ${line.number}: the header: ${fields.reason}`)
      this.#layout = layoutOf(fields, this.#mapping, line.number)
      return undefined
    }
    if (!Array.isArray(fields)) return fields
    if (line.text.trim() === '') return undefined
    const reason = misfit(fields, this.#layout!)
    return reason === undefined ? { fields, layout: this.#layout! } : { reason }
  }
}
