import { encodeCharacter, type Encoding } from '../character-encoding.ts'
import { parseDecimal } from '../decimal-bytes.ts'
import { Line } from './line.ts'

/** The separator of the fields of a line: a character, or `BLANKS` for any run of blanks and tabs. */
export type Delimiter = string

export const BLANKS: Delimiter = 'blanks'

/** Whether a text is a delimiter of a mapping: `tab`, `blanks`, or one character except quotes. */
export const isDelimiter = (text: string): boolean =>
  text === 'tab' || text === BLANKS || (text.length === 1 && !'"\r\n'.includes(text))

export type FieldOptions = { delimiter: Delimiter; decimalComma?: boolean }

/** A hundred times the maximum number of columns of samples. */
const FIELDS_MAXIMUM = 100_000

/**
 * Splits one line at a time into fields, and reads them as texts and numbers.
 *
 * A field in double quotes may contain the delimiter, and a doubled quote. A quote that is not closed
 * in its line is an error: measurements have no line breaks, and a truncated line must not include
 * the lines after it.
 */
export class Fields {
  readonly #delimiter: Delimiter
  readonly #number: { point: number }
  #separator: Separator = NONE
  #line = Line.of('')
  #starts: number[] = []
  #ends: number[] = []
  #count = 0

  constructor({ delimiter, decimalComma = false }: FieldOptions) {
    this.#delimiter = delimiter
    this.#number = { point: decimalComma ? COMMA : POINT }
  }

  /** The number of fields of the line. */
  get count(): number {
    return this.#count
  }

  /** Splits a line. Returns why it is refused, or undefined. */
  split(line: Line): string | undefined {
    if (this.#separator.encoding !== line.encoding)
      this.#separator = separatorOf(this.#delimiter, line.encoding)
    this.#line = line
    this.#count = 0
    const { bytes, to } = line
    const separator = this.#separator
    const { isBlanks, length } = separator
    let at = isBlanks ? skipBlanks(bytes, line.from, to) : line.from
    for (;;) {
      if (this.#count === FIELDS_MAXIMUM) return TOO_MANY_FIELDS
      const isQuoted = at < to && bytes[at] === QUOTE
      const from = isQuoted ? at + 1 : at
      const end = isQuoted ? findClosing(bytes, from, to) : findEnd(bytes, from, to, separator)
      if (end === -1) return `column ${this.#count + 1} has an unclosed quotation mark`
      at = isQuoted ? end + 1 : end
      if (isQuoted && findEnd(bytes, at, to, separator) !== at)
        return `column ${this.#count + 1} continues after its closing quote`
      this.#starts[this.#count] = from
      this.#ends[this.#count++] = end
      if (at >= to) return undefined
      at = isBlanks ? skipBlanks(bytes, at, to) : at + length
      if (isBlanks && at === to) return undefined
    }
  }

  /** Splits a line. Returns its fields as texts, or why it is refused. */
  texts(line: Line): string[] | string {
    return this.split(line) ?? Array.from({ length: this.#count }, (_, field) => this.text(field))
  }

  /** Whether all fields from this one on are blank. */
  areBlankFrom(field: number): boolean {
    for (let at = field; at < this.#count; at++) if (this.text(at).trim() !== '') return false
    return true
  }

  /** Returns a field as text; the first field is 0. */
  text(field: number): string {
    const from = this.#starts[field] ?? 0
    const text = this.#line.decode(from, this.#ends[field] ?? 0)
    const isQuoted = this.#line.bytes[from - 1] === QUOTE
    return isQuoted && text.includes('""') ? text.replaceAll('""', '"') : text
  }

  /** Returns a field as a decimal number; NaN for other texts. */
  number(field: number): number {
    const number = parseDecimal(
      this.#line.bytes,
      this.#starts[field] ?? 0,
      this.#ends[field] ?? 0,
      this.#number,
    )
    if (!Number.isNaN(number)) return number
    // Unicode blanks around a number are ignored too.
    const text = this.text(field)
    const trimmed = text.trim()
    if (trimmed.length === text.length) return NaN
    return parseDecimal(Buffer.from(trimmed), 0, Buffer.byteLength(trimmed), this.#number)
  }
}

const QUOTE = 34
const COMMA = 44
const POINT = 46
const BLANK = 32
const TAB = 9
const TOO_MANY_FIELDS = `it has more than ${FIELDS_MAXIMUM} fields, expected a row of measurements`

/** A delimiter in an encoding. */
type Separator = {
  encoding: Encoding | undefined
  isBlanks: boolean
  /** The first byte, -1 if the encoding does not have the character; and the other bytes. */
  first: number
  rest: Buffer | undefined
  length: number
}

const NONE: Separator = {
  encoding: undefined,
  isBlanks: false,
  first: -1,
  rest: undefined,
  length: 1,
}

function separatorOf(delimiter: Delimiter, encoding: Encoding): Separator {
  if (delimiter === BLANKS) return { ...NONE, encoding, isBlanks: true }
  const bytes = encodeCharacter(delimiter, encoding)
  const first = bytes?.[0]
  if (bytes === undefined || first === undefined) return { ...NONE, encoding }
  const { length } = bytes
  return {
    encoding,
    isBlanks: false,
    first,
    rest: length > 1 ? bytes.subarray(1) : undefined,
    length,
  }
}

/** Returns the end of a field without quotes. */
function findEnd(bytes: Buffer, from: number, to: number, separator: Separator): number {
  const { isBlanks, first, rest } = separator
  let at = from
  if (isBlanks) while (at < to && bytes[at] !== BLANK && bytes[at] !== TAB) at++
  else if (rest === undefined) while (at < to && bytes[at] !== first) at++
  else while (at < to && !(bytes[at] === first && startsWith(bytes, at + 1, rest))) at++
  return at
}

const startsWith = (bytes: Buffer, at: number, start: Buffer): boolean =>
  start.every((byte, index) => bytes[at + index] === byte)

function skipBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from
  while (at < to && (bytes[at] === BLANK || bytes[at] === TAB)) at++
  return at
}

function findClosing(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== QUOTE) continue
    if (at + 1 >= to || bytes[at + 1] !== QUOTE) return at
    at++
  }
  return -1
}
