/** The beginning or the end of an MQTT packet in a stream of bytes. */
export type Frame =
  | { kind: 'begin'; type: number; length: number }
  | { kind: 'end' }
  /** The length takes more than four bytes. */
  | { kind: 'malformed' }

/** The bits of a length in each of its bytes, and the flag of a byte that another one follows. */
const LENGTH_BITS = 7
const MORE = 0x80
const LENGTH_BYTES = 4

/** Finds the packets of a connection by their fixed headers; keeps none of their bytes. */
export class PacketFrames {
  #type: number | undefined
  #lengthBytes = 0
  #length = 0
  /** Bytes of the packet that are still to come; undefined while its header is read. */
  #left: number | undefined

  /** Whether a packet has begun and not ended. */
  get isInside(): boolean {
    return this.#type !== undefined
  }

  /** Reads a chunk from an offset to the next frame, or to the end of the chunk. */
  read(chunk: Uint8Array, from: number): { at: number; frame?: Frame } {
    if (this.#left === undefined) return this.#readHeader(chunk, from)
    const at = Math.min(chunk.length, from + this.#left)
    this.#left -= at - from
    if (this.#left > 0) return { at }
    this.#type = undefined
    this.#left = undefined
    return { at, frame: { kind: 'end' } }
  }

  #readHeader(chunk: Uint8Array, from: number): { at: number; frame?: Frame } {
    for (let at = from; ; at++) {
      const byte = chunk[at]
      if (byte === undefined) return { at }
      if (this.#type === undefined) {
        this.#type = byte >> 4
        this.#length = 0
        this.#lengthBytes = 0
        continue
      }
      this.#length += (byte & (MORE - 1)) * 2 ** (LENGTH_BITS * this.#lengthBytes)
      this.#lengthBytes++
      if ((byte & MORE) === 0) {
        this.#left = this.#length
        const frame = { kind: 'begin', type: this.#type, length: this.#length } as const
        return { at: at + 1, frame }
      }
      if (this.#lengthBytes === LENGTH_BYTES) return { at: at + 1, frame: { kind: 'malformed' } }
    }
  }
}
