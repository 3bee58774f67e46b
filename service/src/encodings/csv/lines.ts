import { isAscii } from 'node:buffer'
import { decode, type Encoding } from '../character-encoding.ts'
import { Line } from './line.ts'

type LineOptions = {
  encoding: Encoding
  /** The offset in the file of the first byte that is pushed, and the number of lines before it. */
  offset?: number
  lines?: number
  /** The bytes of the longest line that is kept whole; longer ones are truncated to save memory. */
  mostBytes?: number
}

/** The maximum length of a row of measurements. */
export const MOST_LINE_BYTES = 1024 * 1024
const SHOWN_BYTES = 1024

/**
 * Splits a stream of bytes into lines; it buffers an incomplete line only.
 *
 * NUL bytes before a line are reserved space of the file that was not written: they are skipped.
 */
export class LineSplitter {
  readonly #encoding: Encoding
  readonly #isWide: boolean
  readonly #isGb: boolean
  readonly #mostBytes: number
  #start: number
  #number: number
  #rest: Buffer = Buffer.alloc(0)
  /** The bytes of a truncated line that are not in `#rest`. */
  #dropped = 0
  #isAtBeginning: boolean
  #nulBytes = 0

  constructor({ encoding, offset = 0, lines = 0, mostBytes = MOST_LINE_BYTES }: LineOptions) {
    this.#encoding = encoding
    this.#isWide = encoding.startsWith('utf-16')
    this.#isGb = encoding === 'gbk' || encoding === 'gb18030'
    this.#mostBytes = mostBytes
    this.#start = offset
    this.#isAtBeginning = offset === 0
    this.#number = lines
  }

  /** The number of NUL bytes that were skipped. */
  get nulBytes(): number {
    return this.#nulBytes
  }

  /** Returns the lines that end in these bytes; they may share their memory. */
  push(bytes: Uint8Array): Line[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const hasNul = data.includes(0)
    const lines: Line[] = []
    let at = this.#skipNuls(data, 0)
    let searched = Math.max(at, this.#rest.length)
    for (;;) {
      const end = this.#findEnd(data, at, searched)
      if (end === -1) break
      lines.push(this.#line(data, at, end, hasNul))
      at = this.#skipNuls(data, end)
      searched = at
    }
    this.#keep(data.subarray(at))
    return lines
  }

  /** Returns the last line if it has no line break. */
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
    let original: Uint8Array | undefined
    // In GBK the second byte of a character may be that of a delimiter, but never a line feed.
    if (this.#isWide || (this.#isGb && !isAscii(data.subarray(from, to)))) {
      original = data.subarray(from, to)
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
      original,
    })
  }

  /** Returns the start of the text of the line at `at`; in UTF-16 only whole pairs are skipped. */
  #skipNuls(data: Buffer, at: number): number {
    let end = at
    while (data[end] === 0) end++
    if (this.#isWide) end -= (end - at) % 2
    this.#start += end - at
    this.#nulBytes += end - at
    return end
  }

  /** Returns the end of the line at `at`; there is none before `searched`. */
  #findEnd(data: Buffer, at: number, searched: number): number {
    // A line break may have begun in the last byte before `searched`.
    let found = data.indexOf(LINE_FEED, this.#isWide ? Math.max(at, searched - 1) : searched)
    if (!this.#isWide) return found + (found === -1 ? 0 : 1)
    // Bytes are dropped in pairs, so that the pairs after `at` are not shifted.
    for (; found !== -1; found = data.indexOf(LINE_FEED, found + 1)) {
      const isFirst = (found - at) % 2 === 0
      if (this.#encoding === 'utf-16le' && isFirst && data[found + 1] === 0) return found + 2
      if (this.#encoding === 'utf-16be' && !isFirst && data[found - 1] === 0) return found + 1
    }
    return -1
  }

  #keep(rest: Buffer): void {
    if (rest.length <= this.#mostBytes) {
      // A copy, so that a few bytes do not keep their chunk in memory.
      this.#rest = Buffer.from(rest)
      return
    }
    // Dropped bytes are not searched again; half a pair stays for the next bytes.
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

/** Whether there is a byte order mark of UTF-8. */
const hasMark = (bytes: Buffer, at: number): boolean =>
  UTF8_MARK.every((byte, index) => bytes[at + index] === byte)
