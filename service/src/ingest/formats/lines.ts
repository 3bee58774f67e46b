export type Encoding = 'utf-8' | 'latin1' | 'windows-1252' | 'utf-16le' | 'utf-16be'

/** A line of a file, without its line break. */
export type Line = {
  /** The first is 1. */
  number: number
  text: string
  /** Bytes of the file before its text, and up to the end of its line break. */
  start: number
  end: number
  /** Longer than any line of measurements: only its beginning is there. */
  isTooLong: boolean
}

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

  /** The lines that end in these bytes. */
  push(bytes: Uint8Array): Line[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const lines: Line[] = []
    let at = this.#leaveOutNuls(data, 0)
    let searched = Math.max(at, this.#rest.length)
    for (;;) {
      const end = this.#findEnd(data, at, searched)
      if (end === -1) break
      lines.push(this.#line(data.subarray(at, end)))
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
    return this.#line(rest)
  }

  #line(bytes: Buffer): Line {
    const length = bytes.length + this.#dropped
    const isTooLong = length > this.#mostBytes
    this.#dropped = 0
    const start = this.#start
    const end = start + length
    this.#start = end
    this.#number++
    const shown = isTooLong ? bytes.subarray(0, SHOWN_BYTES) : bytes
    const decoded = decode(shown, this.#encoding)
    const text = withoutBreak(this.#isAtBeginning ? withoutMark(decoded) : decoded)
    this.#isAtBeginning = false
    return { number: this.#number, text, start, end, isTooLong }
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

function decode(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return bytes.toString('utf8')
    case 'latin1':
      return bytes.toString('latin1')
    case 'windows-1252':
      return windows1252(bytes)
    case 'utf-16le':
      return bytes.toString('utf16le')
    case 'utf-16be':
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le')
  }
}

const decoder = new TextDecoder('windows-1252')

/** Differs from Latin-1 in 27 characters that a line of numbers does not have. */
function windows1252(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return /[\u0080-\u009f]/.test(text) ? decoder.decode(bytes) : text
}

function withoutBreak(text: string): string {
  let end = text.length
  if (text.charCodeAt(end - 1) === LINE_FEED) end--
  if (text.charCodeAt(end - 1) === 13) end--
  return end === text.length ? text : text.slice(0, end)
}

/** Without the byte order mark, also where UTF-8's was read as Latin-1. */
function withoutMark(text: string): string {
  if (text.startsWith('\u{feff}')) return text.slice(1)
  return text.startsWith('\u{ef}\u{bb}\u{bf}') ? text.slice(3) : text
}
