/** A tag of FLV (Adobe Flash Video File Format 10.1, E.4.1), without the bytes around its data. */
export type FlvTag = {
  readonly type: number
  /** Milliseconds. */
  readonly timestamp: number
  readonly data: Buffer
}

const HEADER_BYTES = 9
const TAG_BYTES = 11
const SIZE_BYTES = 4
const NO_BYTES = Buffer.alloc(0)

/** No camera sends a larger picture. */
const LARGEST_TAG_BYTES = 8 * 1024 * 1024

const SCRIPT = 18
const VIDEO = 9

/** The header of a file with video only, and the size of the tag before the first. */
export const FLV_HEADER = Buffer.from([0x46, 0x4c, 0x56, 1, 1, 0, 0, 0, HEADER_BYTES, 0, 0, 0, 0])

/** What the file says of itself (`onMetaData`). */
export const isMetadata = ({ type }: FlvTag): boolean => type === SCRIPT

/** What a decoder of H.264 needs before the first picture. */
export const isSequenceHeader = ({ type, data }: FlvTag): boolean => type === VIDEO && data[1] === 0

/** A picture that needs no other one. */
export const isKeyframe = (tag: FlvTag): boolean =>
  tag.type === VIDEO && (tag.data[0] ?? 0) >> 4 === 1 && !isSequenceHeader(tag)

/** The bytes of a tag at another time: those before its data, its data, and those behind it. */
export function formatTag({ type, data }: FlvTag, timestamp: number): [Buffer, Buffer, Buffer] {
  const head = Buffer.alloc(TAG_BYTES)
  head.writeUInt8(type, 0)
  head.writeUIntBE(data.length, 1, 3)
  head.writeUIntBE(timestamp & 0xffffff, 4, 3)
  head.writeUInt8((timestamp >>> 24) & 0xff, 7)
  const tail = Buffer.alloc(SIZE_BYTES)
  tail.writeUInt32BE(TAG_BYTES + data.length, 0)
  return [head, data, tail]
}

/** Reads the tags of FLV that arrives in any portions; what is no FLV gives none. */
export class FlvReader {
  readonly #onTag: (tag: FlvTag) => void
  #chunks: Buffer[] = []
  #bytes = 0
  /** How many bytes must have arrived before anything can be read. */
  #wanted = FLV_HEADER.length
  #hasHeader = false
  #isBroken = false

  constructor({ onTag }: { onTag(tag: FlvTag): void }) {
    this.#onTag = onTag
  }

  push(chunk: Buffer): void {
    if (this.#isBroken) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#wanted) return
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    while (rest.length >= this.#wanted && !this.#isBroken) rest = this.#read(rest)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
  }

  /** Reads what is at the beginning, and returns what is behind it. */
  #read(bytes: Buffer): Buffer {
    if (!this.#hasHeader) {
      this.#hasHeader = true
      if (bytes.toString('latin1', 0, 3) !== 'FLV') return this.#break()
      this.#wanted = TAG_BYTES
      return bytes.subarray(FLV_HEADER.length)
    }
    const length = bytes.readUIntBE(1, 3)
    if (length > LARGEST_TAG_BYTES) return this.#break()
    const end = TAG_BYTES + length
    this.#wanted = end + SIZE_BYTES
    if (bytes.length < this.#wanted) return bytes
    this.#onTag({
      type: bytes.readUInt8(0) & 0x1f,
      timestamp: bytes.readUIntBE(4, 3) + bytes.readUInt8(7) * 2 ** 24,
      data: Buffer.from(bytes.subarray(TAG_BYTES, end)),
    })
    this.#wanted = TAG_BYTES
    return bytes.subarray(end + SIZE_BYTES)
  }

  #break(): Buffer {
    this.#isBroken = true
    return NO_BYTES
  }
}
