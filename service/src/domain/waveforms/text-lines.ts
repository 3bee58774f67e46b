import { decodeText } from '../../encodings/character-encoding.ts'
import { shorten } from '../../errors/show.ts'

const LF = 10
const CR = 13
/** The bytes of a line that are decoded; header lines have about 80. */
const TEXT_MAXIMUM = 1000
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

/** A cursor over the lines of a text file in memory, which end with LF or CR LF. */
export class TextLines {
  readonly bytes: Uint8Array
  /** The number of the current line, from 1; 0 before the first. */
  number = 0
  /** The offsets of the line's first byte and of its line end. */
  start = 0
  end = 0
  #next = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** The number of bytes after the line. */
  get left(): number {
    return this.bytes.length - this.#next
  }

  /** The offset of the next line. */
  get next(): number {
    return this.#next
  }

  /** Moves to the next line; false at the end of the file. */
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

  /** Skips bytes after the line that are not text; the line number does not change. */
  skip(count: number): void {
    this.#next += count
  }

  /** The line as text, truncated if very long, with control characters as blanks. */
  text(): string {
    const end = Math.min(this.end, this.start + TEXT_MAXIMUM)
    return decodeText(this.bytes.subarray(this.start, end)).replaceAll(CONTROL, ' ')
  }

  /** The line as text, each run of blanks reduced to one. */
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

/** Quotes a text for an error sentence, shortened to `maximum` characters. */
export const quote = (text: string, maximum?: number): string =>
  JSON.stringify(shorten(text, maximum))
