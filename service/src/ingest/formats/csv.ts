import type { Dialect, Taken } from './dialect.ts'
import { splitFields } from './fields.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { layoutByNumber, layoutOf, misfit, type Layout } from './layout.ts'
import type { Line } from './lines.ts'
import type { Mapping } from './mapping.ts'

/** Delimited text whose columns are named by one line, or by their numbers. */
export class CsvDialect implements Dialect {
  readonly #mapping: Mapping
  readonly headerStart = 0
  header: string | undefined
  #layout: Layout | undefined
  #lines = 0

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    if (mapping.headerRow === 0) this.#layout = layoutByNumber(mapping)
  }

  get isReady(): boolean {
    return this.#lines >= this.#mapping.skipLines
  }

  resume(header: string | undefined): void {
    const { headerRow, skipLines } = this.#mapping
    this.#lines = skipLines
    if (headerRow > 0) this.#readHeader(header ?? '', headerRow)
  }

  take(line: Line): Taken {
    const { delimiter, headerRow } = this.#mapping
    const isRow = this.isReady
    this.#lines = Math.max(this.#lines, line.number)
    if (!isRow && line.number !== headerRow) return undefined
    if (!isRow) {
      this.#readHeader(line.text, line.number)
      return undefined
    }
    const fields = splitFields(line.text, delimiter)
    if (!Array.isArray(fields)) return fields
    if (line.text.trim() === '') return undefined
    const reason = misfit(fields, this.#layout!)
    return reason === undefined ? { fields, layout: this.#layout! } : { reason }
  }

  #readHeader(text: string, line: number): void {
    this.header = text
    const names = splitFields(text, this.#mapping.delimiter)
    if (!Array.isArray(names))
      throw new RefusedError('invalid', `line ${line}: the header: ${names.reason}`)
    this.#layout = layoutOf(names, this.#mapping, line)
  }
}
