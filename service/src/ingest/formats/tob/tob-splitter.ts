import { Line } from '../../../encodings/csv/line.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { countOf } from '../../../errors/show.ts'
import type { RowSplitter } from '../row-splitter.ts'
import {
  FRAME_FOOTER_BYTES,
  FRAME_HEADER_BYTES,
  readTobHeader,
  TOB_HEADER_LINES,
  type TobFormat,
  type TobFrames,
  type TobHeader,
} from './tob-header.ts'
import { formatTobTime } from './tob-time.ts'

const MOST_HEADER_LINE_BYTES = 1024 * 1024
const LINE_FEED = 10
/** Bits of a frame footer; the validation stamp is in the upper half. */
const EMPTY_FRAME = 1 << 13
const MINOR_FRAME = 1 << 14

type TobSplitterOptions = {
  format: TobFormat
  /** The header, where reading continues behind it. */
  header?: TobHeader | undefined
  offset: number
  lines: number
}

/** Divides a TOB1 or TOB3 file into its header lines and its records, as lines of TOA5. */
export class TobSplitter implements RowSplitter {
  readonly #format: TobFormat
  readonly #headerLines: string[] = []
  #header: TobHeader | undefined
  #rest: Buffer = Buffer.alloc(0)
  #offset: number
  #number: number
  /** Bytes of frames that were not written, behind the last one that was. */
  #unwritten = 0
  #skipped = 0

  constructor({ format, header, offset, lines }: TobSplitterOptions) {
    this.#format = format
    this.#header = header
    this.#offset = offset
    this.#number = lines
  }

  get nulBytes(): number {
    return this.#skipped + this.#unwritten
  }

  push(bytes: Uint8Array): Line[] {
    const data = Buffer.concat([this.#rest, bytes])
    const lines: Line[] = []
    let at = 0
    for (;;) {
      const length = this.#lengthAt(data, at)
      if (length === undefined || at + length > data.length) break
      const part = data.subarray(at, at + length)
      if (this.#header === undefined) lines.push(this.#headerLine(part))
      else if (this.#header.frames === undefined) lines.push(this.#record(this.#header, part))
      else lines.push(...this.#frame(this.#header, this.#header.frames, part))
      at += length
    }
    this.#rest = data.subarray(at)
    if (this.#header === undefined && this.#rest.length > MOST_HEADER_LINE_BYTES)
      throw new RefusedError(
        'invalid',
        `line ${this.#number + 1}: the header is longer than ${MOST_HEADER_LINE_BYTES} bytes`,
      )
    return lines
  }

  end(): Line | undefined {
    const { length } = this.#rest
    if (length === 0 || this.#header === undefined) return undefined
    const { frames, recordBytes } = this.#header
    const [what, whole] = frames === undefined ? ['record', recordBytes] : ['frame', frames.bytes]
    this.#rest = Buffer.alloc(0)
    return this.#line({
      bytes: this.#unwritten + length,
      problem: `the file ends within a ${what}: after ${length} of ${whole} bytes`,
    })
  }

  /** The length of the next part; undefined while its end is not there. */
  #lengthAt(data: Buffer, at: number): number | undefined {
    if (this.#header !== undefined) return this.#header.frames?.bytes ?? this.#header.recordBytes
    const end = data.indexOf(LINE_FEED, at)
    return end === -1 ? undefined : end + 1 - at
  }

  #headerLine(part: Buffer): Line {
    const text = part.toString('latin1').replace(/\r?\n$/, '')
    this.#headerLines.push(text)
    const line = this.#line({ bytes: part.length, text })
    if (this.#headerLines.length === TOB_HEADER_LINES[this.#format])
      this.#header = readTobHeader(this.#format, this.#headerLines)
    return line
  }

  #record({ fields, secondsAt }: TobHeader, part: Buffer): Line {
    const view = viewOf(part)
    let at = 0
    const texts = fields.map(({ bytes, text }) => {
      at += bytes
      return text(view, at - bytes)
    })
    const [seconds, nanoseconds] = texts.splice(secondsAt, 2)
    const time = formatTobTime(Number(seconds), Number(nanoseconds))
    return this.#line({ bytes: part.length, text: [`"${time}"`, ...texts].join() })
  }

  /** The rows of a frame. The place of all but the last is that of the frame. */
  #frame(header: TobHeader, frames: TobFrames, part: Buffer): Line[] {
    const footer = part.readUInt32LE(part.length - FRAME_FOOTER_BYTES)
    const stamp = footer >>> 16
    if (stamp !== frames.stamp && stamp !== (0xffff ^ frames.stamp)) {
      this.#unwritten += part.length
      return []
    }
    const lines = this.#describeGap(frames)
    if (footer & EMPTY_FRAME) this.#pass(part.length)
    else if (footer & MINOR_FRAME)
      lines.push(this.#line({ bytes: part.length, problem: MINOR_FRAME_PROBLEM }))
    else lines.push(...this.#rows(header, frames, part))
    return lines
  }

  #rows({ fields, recordBytes }: TobHeader, frames: TobFrames, part: Buffer): Line[] {
    const view = viewOf(part)
    const seconds = part.readUInt32LE(0)
    const nanoseconds = part.readUInt32LE(4) * frames.resolution
    const first = part.readUInt32LE(8)
    const count = Math.floor((part.length - FRAME_HEADER_BYTES - FRAME_FOOTER_BYTES) / recordBytes)
    return Array.from({ length: count }, (_, index) => {
      const bytes = index === count - 1 ? part.length : undefined
      if (index > 0 && frames.interval === 0)
        return this.#line({ bytes, problem: 'the table has no interval, so the row has no time' })
      const time = formatTobTime(seconds, nanoseconds + index * frames.interval)
      let at = FRAME_HEADER_BYTES + index * recordBytes
      const texts = fields.map(({ bytes: size, text }) => {
        at += size
        return text(view, at - size)
      })
      return this.#line({ bytes, text: [`"${time}"`, first + index, ...texts].join() })
    })
  }

  /** Names frames without the stamp that others follow: they are of another table, or damaged. */
  #describeGap({ bytes, stamp }: TobFrames): Line[] {
    const gap = this.#unwritten
    this.#unwritten = 0
    if (gap === 0) return []
    const problem = `${countOf(gap / bytes, 'frame')} without the validation stamp ${stamp} of the file: damaged, or of another table`
    return [this.#line({ bytes: gap, problem })]
  }

  #pass(bytes: number): void {
    this.#offset += bytes
    this.#skipped += bytes
  }

  /** The next line; without `bytes` more rows of the same frame follow. */
  #line({ bytes, text = '', problem }: LineParts): Line {
    const start = this.#offset
    this.#offset += bytes ?? 0
    this.#number++
    const place = { number: this.#number, start, end: this.#offset }
    return Line.ofRecord(text, { ...place, isWithin: bytes === undefined, problem })
  }
}

type LineParts = { bytes: number | undefined; text?: string; problem?: string | undefined }

const MINOR_FRAME_PROBLEM =
  'the frame was ended early by a change of the clock or the power; its rows are not read: convert the file with the programs of the logger'

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView =>
  new DataView(buffer, byteOffset, length)
