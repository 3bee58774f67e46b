import { RefusedError } from '../../errors/refused-error.ts'
import { Fields } from '../../encodings/csv/fields.ts'
import { Line } from '../../encodings/csv/line.ts'
import type { Dialect, Taken } from './dialect.ts'
import { readHeader, takeRow, type Layout } from './layout.ts'
import type { Mapping } from './mapping.ts'

const MARK = /^"?TOA5"?,/
/** The `T` that it begins with: it spares most lines the pattern. */
const MARK_BYTE = 84
const OTHER = /^"?(TOB1|TOB2|TOB3|TOACI1|CSIXML)"?,/

/**
 * Campbell Scientific's table files: environment, names, units and processing, then records.
 *
 * A logger that is started again may write its header a second time; from there on the new one
 * holds. Source of the form: Campbell Scientific, LoggerNet manual, appendix "TOA5".
 */
export class Toa5Dialect implements Dialect {
  readonly #mapping: Mapping
  readonly #fields: Fields
  headerStart = 0
  header: string | undefined
  #layout: Layout | undefined
  /** Lines of the header that are still to come. */
  #left = 0
  /** Why rows cannot be read after a later header that does not fit. */
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

  take(line: Line): Taken {
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

/** Of a header at the beginning of a file. */
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
