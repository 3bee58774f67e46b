import { Fields } from '../../../encodings/csv/fields.ts'
import { Line } from '../../../encodings/csv/line.ts'
import type { Dialect, LineResult } from '../dialect.ts'
import { readHeader, takeRow, type ColumnLayout } from '../columns.ts'
import type { Mapping } from '../mapping.ts'
import { readTobHeader, TOB_HEADER_LINES, type TobFormat, type TobHeader } from './tob-header.ts'

/** The header and the rows of a TOB1 or TOB3 file, as `TobSplitter` writes them. */
export class TobDialect implements Dialect {
  readonly #format: TobFormat
  readonly #mapping: Mapping
  readonly #fields = new Fields({ delimiter: ',' })
  readonly #lines: string[] = []
  #layout: ColumnLayout | undefined
  readonly headerStart = 0
  header: string | undefined
  /** The header of the file, once its lines were read. */
  fileHeader: TobHeader | undefined

  constructor(mapping: Mapping, format: TobFormat) {
    this.#mapping = mapping
    this.#format = format
  }

  get isReady(): boolean {
    return this.#layout !== undefined
  }

  resume(header = ''): void {
    this.#readNames(header)
  }

  take(line: Line): LineResult {
    if (this.#layout !== undefined) return takeRow(this.#fields, line, this.#layout)
    this.#lines.push(line.text)
    if (this.#lines.length < TOB_HEADER_LINES[this.#format]) return undefined
    this.fileHeader = readTobHeader(this.#format, this.#lines)
    this.#readNames(this.fileHeader.names)
    return undefined
  }

  #readNames(names: string): void {
    this.header = names
    this.#layout = readHeader(this.#fields, Line.of(names, 2), this.#mapping)
  }
}
