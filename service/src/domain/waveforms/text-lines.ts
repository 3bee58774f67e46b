import { decodeText } from '../../encodings/character-encoding.ts'
import { shorten } from '../../errors/show.ts'

const LF = 10
const CR = 13
/** Bytes of a header line; those of the formats read have some 80. */
const LONGEST_TEXT = 1000
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

/** Goes through the lines of a text file as bytes, whatever ends them: LF or CR LF. */
export class TextLines {
  readonly bytes: Uint8Array
  /** The number of the line that was come to, from 1. */
  number = 0
  /** Where that line begins, and where it ends without its line end. */
  start = 0
  end = 0
  #next = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Bytes after the line. */
  get left(): number {
    return this.bytes.length - this.#next
  }

  /** Where the next line begins. */
  get next(): number {
    return this.#next
  }

  /** Goes on to the next line; false at the end of the file. */
  advance(): boolean {
    if (this.#next >= this.bytes.length) return false
    this.start = this.#next
    const found = this.bytes.indexOf(LF, this.start)
    const end = found === -1 ? this.bytes.length : found
    this.#next = found === -1 ? end : found + 1
    this.end = end > this.start && this.bytes[end - 1] === CR ? end - 1 : end
    this.number++
    return true
  }

  /** Goes over bytes that are no text; the line number stays. */
  skip(count: number): void {
    this.#next += count
  }

  /** The line's characters, of a very long one the first; control characters are blanks. */
  text(): string {
    const end = Math.min(this.end, this.start + LONGEST_TEXT)
    return decodeText(this.bytes.subarray(this.start, end)).replaceAll(CONTROL, ' ')
  }

  /** The same for patterns that have words of any kind between blanks: one blank for many. */
  words(): string {
    return this.text().replaceAll(/ +/g, ' ')
  }

  isBlank(): boolean {
    for (let at = this.start; at < this.end; at++) {
      if (this.bytes[at] !== 32 && this.bytes[at] !== 9) return false
    }
    return true
  }
}

/** Up to so many characters of a text, quoted, for a sentence. */
export const quote = (text: string, most?: number): string => JSON.stringify(shorten(text, most))
