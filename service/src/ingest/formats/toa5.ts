import { RefusedError } from '../../errors/refused-error.ts'
import type { Dialect, Taken } from './dialect.ts'
import { splitFields } from './fields.ts'
import { layoutOf, misfit, type Layout } from './layout.ts'
import type { Line } from './lines.ts'
import type { Mapping } from './mapping.ts'

const MARK = /^"?TOA5"?,/
const OTHER = /^"?(TOB1|TOB2|TOB3|TOACI1|CSIXML)"?,/

/**
 * Campbell Scientific's table files: environment, names, units and processing, then records.
 *
 * A logger that is started again may write its header a second time; from there on the new one
 * holds. Source of the form: Campbell Scientific, LoggerNet manual, appendix "TOA5".
 */
export class Toa5Dialect implements Dialect {
  readonly #mapping: Mapping
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
  }

  get isReady(): boolean {
    return this.#left === 0 && !this.#isFirst
  }

  resume(header = ''): void {
    this.#readNames({ text: header, number: NAMES_LINE })
    this.#isFirst = false
  }

  take(line: Line): Taken {
    if (MARK.test(line.text)) {
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
    if (line.text.trim() === '') return undefined
    if (this.#layout === undefined) return { reason: this.#reason }
    const fields = splitFields(line.text, this.#mapping.delimiter)
    if (!Array.isArray(fields)) return fields
    const reason = misfit(fields, this.#layout)
    return reason === undefined ? { fields, layout: this.#layout } : { reason }
  }

  #readNames(line: Pick<Line, 'text' | 'number'>): void {
    this.header = line.text
    try {
      const names = splitFields(line.text, this.#mapping.delimiter)
      if (!Array.isArray(names))
        throw new RefusedError('invalid', `line ${line.number}: the header: ${names.reason}`)
      this.#layout = layoutOf(names, this.#mapping, line.number)
    } catch (error) {
      if (this.#isFirst || !(error instanceof RefusedError)) throw error
      this.#reason = `it follows a header that does not fit: ${error.message}`
    }
  }
}

/** Of a header at the beginning of a file. */
const NAMES_LINE = 2

function notToa5({ number, text }: Line): RefusedError {
  const other = OTHER.exec(text)?.[1]
  const found = other === undefined ? '' : `; this is a ${other} file`
  return new RefusedError(
    'invalid',
    `line ${number}: a TOA5 file begins with "TOA5" in its first column${found}`,
  )
}
