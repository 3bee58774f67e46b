import { decodeText, type TextLines } from './text-lines.ts'
import { invalid } from './waveform.ts'

const QUOTE = 34
const BLANK = 32
const TAB = 9
/** A hundred times the columns of samples that are read; a line may be as long as its file. */
const MOST_FIELDS = 100_000

/** Finds the fields of a line; `"` around one keeps delimiters within it. */
export class CsvFields {
  readonly #delimiter: number
  /** Where each field begins and ends, without its quotes. */
  starts: number[] = []
  ends: number[] = []
  count = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  split({ bytes, start, end, number }: TextLines): void {
    this.count = 0
    const delimiter = this.#delimiter
    let at = delimiter === BLANK ? skipBlanks(bytes, start, end) : start
    for (;;) {
      const from = at
      if (bytes[at] === QUOTE && at < end) {
        at++
        // A doubled quote stands for one; it stays doubled, as names are unquoted later.
        while (at < end && (bytes[at] !== QUOTE || bytes[at + 1] === QUOTE)) {
          at += bytes[at] === QUOTE ? 2 : 1
        }
        this.#add(from + 1, Math.min(at, end), number)
        at++
        while (at < end && !isDelimiter(bytes[at]!, delimiter)) at++
      } else {
        while (at < end && !isDelimiter(bytes[at]!, delimiter)) at++
        this.#add(from, at, number)
      }
      if (at >= end) return
      at = delimiter === BLANK ? skipBlanks(bytes, at, end) : at + 1
      if (delimiter === BLANK && at >= end) return
    }
  }

  text(bytes: Uint8Array, field: number): string {
    return decodeText(bytes.subarray(this.starts[field], this.ends[field]))
      .replaceAll('""', '"')
      .trim()
  }

  #add(from: number, to: number, number: number): void {
    if (this.count === MOST_FIELDS)
      throw invalid(`line ${number} has more than ${MOST_FIELDS} fields, as no file of samples has`)

    this.starts[this.count] = from
    this.ends[this.count++] = to
  }
}

/** Numbers of rows of one width, row after row, in as much room as they need. */
export class NumberRows {
  readonly #width: number
  #values: Float64Array
  #length = 0

  constructor(width: number) {
    this.#width = width
    this.#values = new Float64Array(4 * width)
  }

  get rows(): number {
    return this.#length / this.#width
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(2 * this.#values.length)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.#length++] = value
  }

  column(column: number): Float64Array {
    const found = new Float64Array(this.rows)
    for (let row = 0; row < found.length; row++) {
      found[row] = this.#values[row * this.#width + column]!
    }
    return found
  }
}

const isDelimiter = (byte: number, delimiter: number): boolean =>
  byte === delimiter || (delimiter === BLANK && byte === TAB)

function skipBlanks(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] === BLANK || bytes[at] === TAB)) at++
  return at
}
