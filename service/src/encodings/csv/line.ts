import { decode, type Encoding } from '../character-encoding.ts'

type LineFields = Omit<
  Line,
  'text' | 'isBlank' | 'decode' | 'as' | 'original' | 'isWithin' | 'problem'
> &
  Partial<Pick<Line, 'original' | 'isWithin' | 'problem'>>

/** A line of a file, without its line break. */
export class Line {
  /** The first is 1. */
  readonly number: number
  /** The offsets in the file of the first byte of the text, and of the byte after the line break. */
  readonly start: number
  readonly end: number
  /** Whether it exceeds the maximum length: then only its beginning is there. */
  readonly isTooLong: boolean
  readonly hasNul: boolean
  /** The text is in `bytes`, from `from` to before `to`. */
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly encoding: Encoding
  /** The bytes of the file, where `bytes` were decoded from them. */
  readonly original: Uint8Array | undefined
  /** Whether reading cannot continue behind it: it is within a block of binary records. */
  readonly isWithin: boolean
  /** Why it is no row, as a sentence. */
  readonly problem: string | undefined

  constructor(fields: LineFields) {
    const { number, start, end, isTooLong, hasNul, bytes, from, to, encoding, original } = fields
    const { isWithin = false, problem } = fields
    this.number = number
    this.start = start
    this.end = end
    this.isTooLong = isTooLong
    this.hasNul = hasNul
    this.bytes = bytes
    this.from = from
    this.to = to
    this.encoding = encoding
    this.original = original
    this.isWithin = isWithin
    this.problem = problem
  }

  /** Returns a line of a text that is in no file. */
  static of(text: string, number = 1): Line {
    return Line.ofRecord(text, { number, start: 0, end: 0 })
  }

  /** Returns a binary record of a file as a line of text. */
  static ofRecord(
    text: string,
    place: Pick<Line, 'number' | 'start' | 'end'> & Partial<Pick<Line, 'isWithin' | 'problem'>>,
  ): Line {
    const bytes = Buffer.from(text)
    return new Line({
      ...place,
      isTooLong: false,
      hasNul: bytes.includes(0),
      bytes,
      from: 0,
      to: bytes.length,
      encoding: 'utf-8',
    })
  }

  /** The line as it would be in another encoding of the file. */
  as(encoding: Encoding): Line {
    const bytes = this.original ?? this.bytes.subarray(this.from, this.to)
    const text = decode(Buffer.from(bytes), encoding)
    return Line.of(text.replace(/^\u{feff}/u, '').replace(/\r?\n$/, ''), this.number)
  }

  get text(): string {
    return this.decode(this.from, this.to)
  }

  get isBlank(): boolean {
    const first = this.bytes[this.from]
    if (this.from === this.to || first === undefined) return true
    return (first <= BLANK || first > ASCII_MAXIMUM) && this.text.trim() === ''
  }

  /** Decodes a range of its bytes. */
  decode(from: number, to: number): string {
    return decode(this.bytes.subarray(from, to), this.encoding)
  }
}

const BLANK = 32
const ASCII_MAXIMUM = 127
