import { decode, type Encoding } from '../character-encoding.ts'

type LineFields = Omit<Line, 'text' | 'isBlank' | 'decode'>

/** A line of a file, without its line break. */
export class Line {
  /** The first is 1. */
  readonly number: number
  /** Bytes of the file before its text, and up to the end of its line break. */
  readonly start: number
  readonly end: number
  /** Longer than any line of measurements: only its beginning is there. */
  readonly isTooLong: boolean
  readonly hasNul: boolean
  /** Its text is in `bytes`, from `from` to `to`. */
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly encoding: Encoding

  constructor({ number, start, end, isTooLong, hasNul, bytes, from, to, encoding }: LineFields) {
    this.number = number
    this.start = start
    this.end = end
    this.isTooLong = isTooLong
    this.hasNul = hasNul
    this.bytes = bytes
    this.from = from
    this.to = to
    this.encoding = encoding
  }

  /** A line that stands by itself. */
  static of(text: string, number = 1): Line {
    const bytes = Buffer.from(text)
    return new Line({
      number,
      start: 0,
      end: 0,
      isTooLong: false,
      hasNul: bytes.includes(0),
      bytes,
      from: 0,
      to: bytes.length,
      encoding: 'utf-8',
    })
  }

  get text(): string {
    return this.decode(this.from, this.to)
  }

  get isBlank(): boolean {
    if (this.from === this.to) return true
    const first = this.bytes[this.from]!
    return (first <= BLANK || first > LAST_OF_ASCII) && this.text.trim() === ''
  }

  /** The characters of some of its bytes. */
  decode(from: number, to: number): string {
    return decode(this.bytes.subarray(from, to), this.encoding)
  }
}

const BLANK = 32
const LAST_OF_ASCII = 127
