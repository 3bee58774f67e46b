import { DamageError } from '../errors/damage-error.ts'

/** Writes whole numbers in a variable number of bytes, and doubles in eight. */
export class ByteWriter {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** Writes one byte. */
  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** Writes a whole number from 0 to 2^53 - 1, seven bits a byte. */
  whole(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  /** Writes a whole number of at most 52 bits and a sign; small ones of either sign are short. */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** Writes a double. */
  double(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  /** Writes bytes after their number. */
  block(bytes: Uint8Array): void {
    this.whole(bytes.length)
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Returns a copy of the written bytes. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count))
    grown.set(this.#bytes)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** Reads the bytes of a `ByteWriter`; throws at their end and on damaged bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** The number of bytes that are not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw unreadable('they end too early')
    this.#at++
    return byte
  }

  whole(): number {
    const first = this.byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let scale = 0x80; ; scale *= 0x80) {
      const next = this.byte()
      value += (next & 0x7f) * scale
      if (value > Number.MAX_SAFE_INTEGER) throw unreadable('a number is too large')
      if (next < 0x80) return value
    }
  }

  signed(): number {
    const value = this.whole()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  double(): number {
    if (this.left < 8) throw unreadable('they end too early')
    this.#at += 8
    return this.#view.getFloat64(this.#at - 8, true)
  }

  block(): Uint8Array {
    const length = this.whole()
    if (length > this.left) throw unreadable('they end too early')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** Refuses bytes after the last value. */
  end(): void {
    if (this.left > 0) throw unreadable('they continue after their end')
  }
}

/** Returns the error of stored bytes that are damaged. */
export const unreadable = (reason: string, options?: ErrorOptions): DamageError =>
  new DamageError(`Stored bytes cannot be read: ${reason}.`, options)
