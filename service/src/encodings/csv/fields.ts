import { encodeCharacter, type Encoding } from '../character-encoding.ts'
import { parseDecimal } from '../decimal-bytes.ts'
import { Line } from './line.ts'

/** What stands between the fields of a line: a character, or any number of blanks and tabs. */
export type Delimiter = string

export const BLANKS: Delimiter = 'blanks'

/** Whether a mapping may name this: `tab`, `blanks`, or one character that is no quote. */
export const isDelimiter = (text: string): boolean =>
  text === 'tab' || text === BLANKS || (text.length === 1 && !'"\r\n'.includes(text))

export type FieldOptions = { delimiter: Delimiter; decimalComma?: boolean }

/** A hundred times the columns of samples that are read; a line may be as long as its file. */
const MOST_FIELDS = 100_000

/**
 * Finds the fields of one line after the other, and reads them as texts and numbers.
 *
 * A field in double quotes may hold the delimiter, and a doubled quote. A quote that is not closed
 * in its line is a problem: a measurement has no line breaks, and a line cut short must not
 * swallow the ones after it.
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

  get count(): number {
    return this.#count
  }

  /** Goes to a line; gives a sentence that says why it cannot be taken, or undefined. */
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
      if (this.#count === MOST_FIELDS) return TOO_MANY_FIELDS
      const isQuoted = at < to && bytes[at] === QUOTE
      const from = isQuoted ? at + 1 : at
      const end = isQuoted ? findClosing(bytes, from, to) : findEnd(bytes, from, to, separator)
      if (end === -1) return `column ${this.#count + 1} has a quote without an end`
      at = isQuoted ? end + 1 : end
      if (isQuoted && findEnd(bytes, at, to, separator) !== at)
        return `column ${this.#count + 1} goes on after its closing quote`
      this.#starts[this.#count] = from
      this.#ends[this.#count++] = end
      if (at >= to) return undefined
      at = isBlanks ? skipBlanks(bytes, at, to) : at + length
      if (isBlanks && at === to) return undefined
    }
  }

  /** The fields of a line as texts, or a sentence that says why it cannot be taken. */
  texts(line: Line): string[] | string {
    return this.split(line) ?? Array.from({ length: this.#count }, (_, field) => this.text(field))
  }

  /** Whether no field from this one on holds anything. */
  areBlankFrom(field: number): boolean {
    for (let at = field; at < this.#count; at++) if (this.text(at).trim() !== '') return false
    return true
  }

  text(field: number): string {
    const from = this.#starts[field] ?? 0
    const text = this.#line.decode(from, this.#ends[field] ?? 0)
    const isQuoted = this.#line.bytes[from - 1] === QUOTE
    return isQuoted && text.includes('""') ? text.replaceAll('""', '"') : text
  }

  /** The decimal number that a field holds; NaN when it holds anything else. */
  number(field: number): number {
    const number = parseDecimal(
      this.#line.bytes,
      this.#starts[field] ?? 0,
      this.#ends[field] ?? 0,
      this.#number,
    )
    if (!Number.isNaN(number)) return number
    // Blanks of other alphabets may stand around a number.
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
const TOO_MANY_FIELDS = `it has more than ${MOST_FIELDS} fields, as no file of measurements has`

/** A delimiter as an encoding writes it. */
type Separator = {
  encoding: Encoding | undefined
  isBlanks: boolean
  /** Its first byte, -1 where the encoding has no such character, and the others. */
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

/** Where the field ends that begins there without a quote. */
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
