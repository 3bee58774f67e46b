import { RefusedError } from '../../../errors/refused-error.ts'
import { formatSerial, type TimeStyle } from './cell-text.ts'
import type { XmlHandlers } from './read-xml.ts'

/** What the cells of a sheet refer to. */
export type WorkbookParts = {
  strings: readonly string[]
  /** The time style of each cell style; undefined for numbers. */
  styles: readonly (TimeStyle | undefined)[]
  is1904: boolean
}

/** The limits of a worksheet, ECMA-376 and Excel. */
const MOST_ROWS = 1_048_576
const MOST_COLUMNS = 16_384

/** Turns the rows of a worksheet into lines of CSV, with the numbers of the rows. */
export class SheetRows implements XmlHandlers {
  readonly #parts: WorkbookParts
  #lines: string[] = []
  #row = 0
  #cells: string[] = []
  #column = 0
  #type = 'n'
  #style = 0
  #value = ''
  /** Whether text belongs to the value of a cell. */
  #isValue = false

  constructor(parts: WorkbookParts) {
    this.#parts = parts
  }

  /** The lines of the rows that were read since the last call. */
  take(): Buffer {
    const lines = this.#lines
    this.#lines = []
    return Buffer.from(lines.join(''))
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (name === 'row') this.#beginRow(attributes['r'])
    else if (name === 'c') this.#beginCell(attributes)
    else if (name === 'v' || name === 't') this.#isValue = true
  }

  readonly text = (text: string): void => {
    if (this.#isValue) this.#value += text
  }

  readonly close = (name: string): void => {
    if (name === 'v' || name === 't') this.#isValue = false
    else if (name === 'c') this.#cells[this.#column - 1] = this.#cellText()
    else if (name === 'row') this.#lines.push(`${Array.from(this.#cells, toField).join()}\n`)
  }

  #beginRow(number: string | undefined): void {
    const row = number === undefined ? this.#row + 1 : Number(number)
    if (!Number.isInteger(row) || row <= this.#row || row > MOST_ROWS)
      throw new RefusedError('invalid', `row ${number} follows row ${this.#row} in the sheet`)
    // Rows without cells are left out of the file.
    this.#lines.push('\n'.repeat(row - this.#row - 1))
    this.#row = row
    this.#column = 0
    this.#cells = []
  }

  #beginCell({ r: place, t: type = 'n', s: style = '0' }: Readonly<Record<string, string>>): void {
    this.#column = place === undefined ? this.#column + 1 : columnOf(place)
    if (!(this.#column >= 1 && this.#column <= MOST_COLUMNS))
      throw new RefusedError(
        'invalid',
        `row ${this.#row}: cell ${place} is in no column of a sheet`,
      )
    this.#type = type
    this.#style = Number(style)
    this.#value = ''
  }

  #cellText(): string {
    const value = this.#value
    if (this.#type === 's') return this.#parts.strings[Number(value)] ?? ''
    if (this.#type !== 'n' || value === '') return value
    const number = Number(value)
    const style = this.#parts.styles[this.#style]
    if (!Number.isFinite(number)) return value
    return style === undefined ? String(number) : formatSerial(number, style, this.#parts.is1904)
  }
}

/** The number of a column, from `BC12`; NaN for another text. */
function columnOf(place: string): number {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(place) ?? []
  if (letters === undefined) return NaN
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

const toField = (text: string | undefined = ''): string =>
  /^[-+.\w: ]*$/.test(text) ? text : `"${text.replaceAll(/[\r\n]+/g, ' ').replaceAll('"', '""')}"`
