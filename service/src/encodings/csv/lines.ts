import { decode, type Encoding } from '../character-encoding.ts'
import { Line } from './line.ts'

export type LineOptions = {
  encoding: Encoding
  /** Where the first byte stands that is pushed, and how many lines are before it. */
  offset?: number
  lines?: number
  /** A longer line is cut, so that a file without line breaks needs no memory. */
  mostBytes?: number
}

/** A longer line is no row of measurements. */
export const MOST_LINE_BYTES = 1024 * 1024
const SHOWN_BYTES = 1024

/**
 * Cuts a stream of bytes into lines; what it keeps is the beginning of one line.
 *
 * NUL bytes before a line are space that was reserved and left unwritten: they are no part of it.
 */
export class LineSplitter {
  readonly #encoding: Encoding
  readonly #isWide: boolean
  readonly #mostBytes: number
  #start: number
  #number: number
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes of a line that is too long, beyond those in `#rest`. */
  #dropped = 0
  #isAtBeginning: boolean
  #nulBytes = 0

  constructor({ encoding, offset = 0, lines = 0, mostBytes = MOST_LINE_BYTES }: LineOptions) {
    this.#encoding = encoding
    this.#isWide = encoding.startsWith('utf-16')
    this.#mostBytes = mostBytes
    this.#start = offset
    this.#isAtBeginning = offset === 0
    this.#number = lines
  }

  /** How many NUL bytes before lines were left out. */
  get nulBytes(): number {
    return this.#nulBytes
  }

  /** The lines that end in these bytes; they may refer to them. */
  push(bytes: Uint8Array): Line[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const hasNul = data.includes(0)
    const lines: Line[] = []
    let at = this.#leaveOutNuls(data, 0)
    let searched = Math.max(at, this.#rest.length)
    for (;;) {
      const end = this.#findEnd(data, at, searched)
      if (end === -1) break
      lines.push(this.#line(data, at, end, hasNul))
      at = this.#leaveOutNuls(data, end)
      searched = at
    }
    this.#keep(data.subarray(at))
    return lines
  }

  /** The last line, when no line break ends it. */
  end(): Line | undefined {
    if (this.#rest.length === 0) return undefined
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    return this.#line(rest, 0, rest.length, rest.includes(0))
  }

  #line(data: Buffer, at: number, lineEnd: number, mayHaveNul: boolean): Line {
    const length = lineEnd - at + this.#dropped
    const isTooLong = length > this.#mostBytes
    const start = this.#start
    const end = start + length
    this.#dropped = 0
    this.#start = end
    this.#number++

    let bytes = data
    let from = at
    let to = isTooLong ? Math.min(lineEnd, at + SHOWN_BYTES) : lineEnd
    let encoding = this.#encoding
    if (this.#isWide) {
      bytes = Buffer.from(decode(data.subarray(from, to), encoding))
      from = 0
      to = bytes.length
      encoding = 'utf-8'
    }
    if (this.#isAtBeginning && hasMark(bytes, from)) from += UTF8_MARK.length
    this.#isAtBeginning = false
    if (to > from && bytes[to - 1] === LINE_FEED) to--
    if (to > from && bytes[to - 1] === CARRIAGE_RETURN) to--
    const hasNul = mayHaveNul && bytes.subarray(from, to).includes(0)
    return new Line({
      number: this.#number,
      start,
      end,
      isTooLong,
      hasNul,
      bytes,
      from,
      to,
      encoding,
    })
  }

  /** Where the text begins of the line at `at`; of UTF-16 only whole pairs are left out. */
  #leaveOutNuls(data: Buffer, at: number): number {
    let end = at
    while (data[end] === 0) end++
    if (this.#isWide) end -= (end - at) % 2
    this.#start += end - at
    this.#nulBytes += end - at
    return end
  }

  /** Where the line ends that begins at `at`; the bytes before `searched` hold no end. */
  #findEnd(data: Buffer, at: number, searched: number): number {
    // The line break may have begun in the last byte that was searched.
    let found = data.indexOf(LINE_FEED, this.#isWide ? Math.max(at, searched - 1) : searched)
    if (!this.#isWide) return found + (found === -1 ? 0 : 1)
    // Bytes that were dropped before `at` must not shift the pairs: they are dropped in pairs.
    for (; found !== -1; found = data.indexOf(LINE_FEED, found + 1)) {
      const isFirst = (found - at) % 2 === 0
      if (this.#encoding === 'utf-16le' && isFirst && data[found + 1] === 0) return found + 2
      if (this.#encoding === 'utf-16be' && !isFirst && data[found - 1] === 0) return found + 1
    }
    return -1
  }

  #keep(rest: Buffer): void {
    if (rest.length <= this.#mostBytes) {
      // A copy, so that a few bytes do not hold the chunk they came in.
      this.#rest = Buffer.from(rest)
      return
    }
    // What was dropped is no longer searched for line breaks; half a pair stays for the next bytes.
    const dropped = (rest.length - SHOWN_BYTES) & ~1
    this.#dropped += dropped
    this.#rest = Buffer.concat([
      rest.subarray(0, SHOWN_BYTES),
      rest.subarray(SHOWN_BYTES + dropped),
    ])
  }
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const UTF8_MARK = [0xef, 0xbb, 0xbf]

/** Whether a byte order mark stands there, as UTF-8 has it. */
const hasMark = (bytes: Buffer, at: number): boolean =>
  UTF8_MARK.every((byte, index) => bytes[at + index] === byte)
