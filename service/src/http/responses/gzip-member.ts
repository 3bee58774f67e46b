import { crc32 } from 'node:zlib'
import type { ResponseBody } from './response-body.ts'
import type { DeflatePool } from '../../encodings/deflate-pool.ts'
import { release } from '../../concurrency/release-memory.ts'
import { combineCrc32 } from '../../encodings/crc32.ts'
import type { DeflatedText } from '../../storage/storage.ts'

/** Less text is stored without compression: compressing it saves less than a thread costs. */
const SMALL_BYTES = 1024

/** Successive small texts, such as the heads of stations, are compressed together up to this size. */
const GROUP_BYTES = 16 * 1024

/** RFC 1952, 2.3: deflate, no name, no time, fastest compression, unknown system. */
const HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]

/**
 * One gzip member (RFC 1952) of texts, which it compresses, and of deflated texts, which it copies.
 *
 * The memory of a chunk is released when it has been compressed.
 */
export class GzipMember implements ResponseBody<string | Uint8Array | DeflatedText> {
  readonly coding = 'gzip'
  bytes = HEADER.length
  readonly #pool: DeflatePool
  #buffers: Uint8Array[] = [Buffer.from(HEADER)]
  #small: Uint8Array[] = []
  #smallBytes = 0
  #crc = 0
  #length = 0

  constructor(pool: DeflatePool) {
    this.#pool = pool
  }

  add(chunk: string | Uint8Array | DeflatedText): Promise<void> | undefined {
    if (typeof chunk === 'string') return this.#addText(Buffer.from(chunk))
    return chunk instanceof Uint8Array ? this.#addText(chunk) : this.#addDeflated(chunk)
  }

  end(): Promise<void> | undefined {
    if (this.#smallBytes >= SMALL_BYTES) return this.#deflateSmall().then(() => this.#close())
    this.#close()
    return undefined
  }

  take(): Uint8Array[] {
    const buffers = this.#buffers
    this.#buffers = []
    this.bytes = 0
    return buffers
  }

  #addText(text: Uint8Array): Promise<void> | undefined {
    this.#crc = crc32(text, this.#crc)
    this.#length += text.length
    if (text.length >= SMALL_BYTES) return this.#addLarge(text)
    this.#small.push(text)
    this.#smallBytes += text.length
    return this.#smallBytes < GROUP_BYTES ? undefined : this.#deflateSmall()
  }

  async #addLarge(text: Uint8Array): Promise<void> {
    if (this.#smallBytes < SMALL_BYTES) this.#storeSmall()
    else await this.#deflateSmall()
    await this.#deflate(text)
  }

  #addDeflated(chunk: DeflatedText): Promise<void> | undefined {
    if (this.#smallBytes >= SMALL_BYTES)
      return this.#deflateSmall().then(() => this.#appendDeflated(chunk))
    this.#storeSmall()
    this.#appendDeflated(chunk)
    return undefined
  }

  #appendDeflated({ deflated, length, crc }: DeflatedText): void {
    this.#crc = combineCrc32(this.#crc, crc, length)
    this.#length += length
    this.#push(deflated)
  }

  #deflateSmall(): Promise<void> {
    return this.#deflate(Buffer.concat(this.#takeSmall()))
  }

  async #deflate(text: Uint8Array): Promise<void> {
    this.#push(await this.#pool.deflate(text))
    release(text)
  }

  /** Writes the small texts as a stored block (RFC 1951, 3.2.4). */
  #storeSmall(isLast = false): void {
    if (this.#smallBytes === 0 && !isLast) return
    const head = Buffer.allocUnsafe(5)
    head[0] = isLast ? 1 : 0
    head.writeUInt16LE(this.#smallBytes, 1)
    head.writeUInt16LE(this.#smallBytes ^ 0xffff, 3)
    this.#push(head)
    for (const text of this.#takeSmall()) this.#push(text)
  }

  #close(): void {
    this.#storeSmall(true)
    const trailer = Buffer.allocUnsafe(8)
    trailer.writeUInt32LE(this.#crc, 0)
    trailer.writeUInt32LE(this.#length % 2 ** 32, 4)
    this.#push(trailer)
  }

  #takeSmall(): Uint8Array[] {
    const small = this.#small
    this.#small = []
    this.#smallBytes = 0
    return small
  }

  #push(buffer: Uint8Array): void {
    this.#buffers.push(buffer)
    this.bytes += buffer.length
  }
}

/** Compresses a text to one gzip member; the memory of the text stays the caller's. */
export async function gzipWhole(text: string | Uint8Array, pool: DeflatePool): Promise<Buffer> {
  const member = new GzipMember(pool)
  await member.add(typeof text === 'string' ? text : new Uint8Array(text))
  await member.end()
  return Buffer.concat(member.take())
}
