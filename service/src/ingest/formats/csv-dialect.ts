import { Fields } from '../../encodings/csv/fields.ts'
import { Line } from '../../encodings/csv/line.ts'
import type { Dialect, LineResult } from './dialect.ts'
import { layoutByNumber, readHeader, takeRow, type ColumnLayout } from './columns.ts'
import type { Mapping } from './mapping.ts'

/** Delimited text whose columns are named by one line, or by their numbers. */
export class CsvDialect implements Dialect {
  readonly #mapping: Mapping
  readonly #fields: Fields
  readonly headerStart = 0
  header: string | undefined
  #layout: ColumnLayout | undefined
  #lines = 0

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    this.#fields = new Fields(mapping)
    if (mapping.headerRow === 0) this.#layout = layoutByNumber(mapping)
  }

  get isReady(): boolean {
    return this.#lines >= this.#mapping.skipLines
  }

  resume(header: string | undefined): void {
    const { headerRow, skipLines } = this.#mapping
    this.#lines = skipLines
    if (headerRow > 0) this.#readHeader(Line.of(header ?? '', headerRow))
  }

  take(line: Line): LineResult {
    const layout = this.isReady ? this.#layout : undefined
    this.#lines = Math.max(this.#lines, line.number)
    if (layout !== undefined) return takeRow(this.#fields, line, layout)
    if (line.number === this.#mapping.headerRow) this.#readHeader(line)
    return undefined
  }

  #readHeader(line: Line): void {
    this.header = line.text
    this.#layout = readHeader(this.#fields, line, this.#mapping)
  }
}
