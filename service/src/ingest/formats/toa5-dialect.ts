import { RefusedError } from '../../errors/refused-error.ts'
import { Fields } from '../../encodings/csv/fields.ts'
import { Line } from '../../encodings/csv/line.ts'
import type { Dialect, LineResult } from './dialect.ts'
import { readHeader, takeRow, type ColumnLayout } from './columns.ts'
import type { Mapping } from './mapping.ts'

const MARK = /^"?TOA5"?,/
/** The `T` of the mark: most lines have none there, and are not matched with the pattern. */
const MARK_BYTE = 84
const OTHER = /^"?(TOB1|TOB2|TOB3|TOACI1|CSIXML)"?,/

/**
 * Table files of Campbell Scientific: environment, names, units and processing, then records.
 *
 * A logger that restarts may write another header, which applies to the lines below it. Source of the
 * format: Campbell Scientific, LoggerNet manual, appendix "TOA5".
 */
export class Toa5Dialect implements Dialect {
  readonly #mapping: Mapping
  readonly #fields: Fields
  headerStart = 0
  header: string | undefined
  #layout: ColumnLayout | undefined
  /** The lines of the header that follow. */
  #left = 0
  /** Why rows below a later header that does not fit cannot be read. */
  #reason = ''
  #isFirst = true

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    this.#fields = new Fields(mapping)
  }

  get isReady(): boolean {
    return this.#left === 0 && !this.#isFirst
  }

  resume(header = ''): void {
    this.#readNames(Line.of(header, NAMES_LINE))
    this.#isFirst = false
  }

  take(line: Line): LineResult {
    if (isMark(line)) {
      this.headerStart = line.start
      this.#left = 3
      this.#layout = undefined
      return undefined
    }
    if (this.#left === 0 && this.#isFirst) throw notToa5(line)
    if (this.#left > 0) {
      if (this.#left === 3) this.#readNames(line)
      this.#left--
      this.#isFirst = false
      return undefined
    }
    if (this.#layout !== undefined) return takeRow(this.#fields, line, this.#layout)
    return line.isBlank ? undefined : { reason: this.#reason }
  }

  #readNames(line: Line): void {
    this.header = line.text
    try {
      this.#layout = readHeader(this.#fields, line, this.#mapping)
    } catch (error) {
      if (this.#isFirst || !(error instanceof RefusedError)) throw error
      this.#reason = `it follows a header that does not fit: ${error.message}`
    }
  }
}

/** The line of the names in a header at the beginning of a file. */
const NAMES_LINE = 2

function isMark(line: Line): boolean {
  const { bytes, from } = line
  return (bytes[from] === MARK_BYTE || bytes[from + 1] === MARK_BYTE) && MARK.test(line.text)
}

function notToa5({ number, text }: Line): RefusedError {
  const other = OTHER.exec(text)?.[1]
  const found = other === undefined ? '' : `; this is a ${other} file`
  return new RefusedError(
    'invalid',
    `line ${number}: a TOA5 file begins with "TOA5" in its first column${found}`,
  )
}
