const LEAST_ROOM = 64 * 1024

/** Bytes that are added at the end and taken from the beginning. */
export class GrowingBytes {
  #room = Buffer.allocUnsafe(LEAST_ROOM)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(bytes: Buffer): void {
    const length = this.#length + bytes.length
    if (length > this.#room.length) this.#resize(2 * length)
    bytes.copy(this.#room, this.#length)
    this.#length = length
  }

  /** A view, valid until bytes are added or dropped. */
  view(from: number, to = this.#length): Buffer {
    return this.#room.subarray(from, to)
  }

  /** Drops the first bytes, and keeps room for as many. */
  drop(count: number): void {
    this.#room.copyWithin(0, count, this.#length)
    this.#length -= count
    const room = Math.max(LEAST_ROOM, 2 * count, 2 * this.#length)
    if (this.#room.length > 2 * room) this.#resize(room)
  }

  #resize(size: number): void {
    const room = Buffer.allocUnsafe(size)
    this.#room.copy(room, 0, 0, this.#length)
    this.#room = room
  }
}
