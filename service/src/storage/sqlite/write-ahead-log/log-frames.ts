import { readSync } from 'node:fs'
import {
  addTo,
  FRAME_HEADER_BYTES,
  HEADER_BYTES,
  isSame,
  MAGIC,
  sumAt,
  type Sum,
} from './scan-log.ts'

/** A log cannot be read on from where it was read before. */
export class LogGap extends Error {
  override name = 'LogGap'
}

/** A frame of the log, with the checksum up to it. */
export type Frame = {
  number: number
  page: number
  content: Buffer
  sum: Sum
  /** Whether it ends a transaction. */
  isCommit: boolean
}

const FRAMES_AT_ONCE = 128

/** Reads the frames of one log in order, each with the checksum that continues the one before. */
export class LogFrames {
  readonly #descriptor: number
  readonly #pageBytes: number
  readonly #salts: Buffer
  readonly #isBigEndian: boolean
  #frame = 0
  #sum: Sum

  constructor(descriptor: number, pageBytes: number, salts: string) {
    this.#descriptor = descriptor
    this.#pageBytes = pageBytes
    this.#salts = Buffer.from(salts, 'hex')
    const header = Buffer.alloc(HEADER_BYTES)
    readSync(descriptor, header, 0, HEADER_BYTES, 0)
    const magic = header.readUInt32BE(0)
    this.#isBigEndian = magic !== MAGIC
    const isValid = (magic === MAGIC || magic === MAGIC + 1) && header.readUInt32BE(8) === pageBytes
    if (!isValid || !this.#salts.equals(header.subarray(16, 24)))
      throw new LogGap('the write-ahead log was begun anew while it was read')
    this.#sum = sumAt(header, 24)
  }

  get frame(): number {
    return this.#frame
  }

  get sum(): Sum {
    return this.#sum
  }

  /** Reads up to a frame, which is committed; its pages are copies. */
  *readTo(last: number): Generator<Frame> {
    const frameBytes = FRAME_HEADER_BYTES + this.#pageBytes
    while (this.#frame < last) {
      const count = Math.min(FRAMES_AT_ONCE, last - this.#frame)
      const bytes = Buffer.allocUnsafeSlow(count * frameBytes)
      const read = readSync(
        this.#descriptor,
        bytes,
        0,
        bytes.length,
        HEADER_BYTES + this.#frame * frameBytes,
      )
      if (read < bytes.length)
        throw new LogGap('the write-ahead log is shorter than its index says')
      for (let at = 0; at < bytes.length; at += frameBytes)
        yield this.#check(bytes.subarray(at, at + frameBytes))
    }
  }

  #check(frame: Buffer): Frame {
    const header = addTo(this.#sum, frame, 0, 8, this.#isBigEndian)
    const sum = addTo(header, frame, FRAME_HEADER_BYTES, this.#pageBytes, this.#isBigEndian)
    if (!this.#salts.equals(frame.subarray(8, 16)) || !isSame(sum, sumAt(frame, 16)))
      throw new LogGap(`frame ${this.#frame + 1} of the write-ahead log is damaged or was replaced`)
    this.#frame++
    this.#sum = sum
    const content = Buffer.from(frame.subarray(FRAME_HEADER_BYTES))
    const [page, pages] = [frame.readUInt32BE(0), frame.readUInt32BE(4)]
    return { number: this.#frame, page, content, sum, isCommit: pages !== 0 }
  }
}
