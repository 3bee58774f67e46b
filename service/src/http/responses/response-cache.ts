import { crc32 } from 'node:zlib'
import type { DeflatedText } from '../../storage/storage.ts'
import type { DeflatePool } from '../../encodings/deflate-pool.ts'
import type { JsonChunks, TextChunk } from './write-json.ts'

/** Bytes of a response, with the length and the checksum of their text where they are deflated. */
type CachedChunk = { bytes: Uint8Array; length: number; crc: number }

type CachedResponse = { chunks: CachedChunk[]; bytes: number; isWhole: boolean; readers: number }

/**
 * Keeps responses that never change, in the bytes in which they are sent, up to a number of bytes.
 *
 * The least recently used response is removed first. Responses that are being stored count too, so
 * that slow readers of long responses do not exceed the limit.
 */
export class ResponseCache {
  readonly #maximum: number
  readonly #pool: DeflatePool
  /** In the order of their last use. */
  readonly #entries = new Map<string, CachedResponse>()
  #bytes = 0

  constructor(maximumBytes: number, pool: DeflatePool) {
    this.#maximum = maximumBytes
    this.#pool = pool
  }

  /** How many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The response of a key: the stored one, or the one that `write` makes, which is then stored. */
  serve(key: string, write: () => AsyncIterable<TextChunk>): JsonChunks {
    return {
      plain: () => toPlain(this.#serve(`${key} plain`, () => encode(write()))),
      gzip: () => toDeflated(this.#serve(`${key} gzip`, () => deflate(write(), this.#pool))),
    }
  }

  #serve(key: string, make: () => AsyncIterable<CachedChunk>): AsyncIterable<CachedChunk> {
    const entry = this.#entries.get(key)
    if (entry?.isWhole === true) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      return read(entry)
    }
    // Of two simultaneous requests the first one stores the response.
    return entry === undefined && this.#maximum > 0 ? this.#store(key, make()) : make()
  }

  async *#store(key: string, chunks: AsyncIterable<CachedChunk>): AsyncGenerator<CachedChunk> {
    const entry: CachedResponse = { chunks: [], bytes: 0, isWhole: false, readers: 0 }
    this.#entries.set(key, entry)
    try {
      for await (const chunk of chunks) {
        const { length } = chunk.bytes
        if (this.#entries.get(key) !== entry || !this.#makeRoom(key, length)) {
          yield chunk
          continue
        }
        const shared = share(chunk)
        entry.chunks.push(shared)
        entry.bytes += length
        this.#bytes += length
        yield shared
      }
      entry.isWhole = true
    } finally {
      if (!entry.isWhole && this.#entries.get(key) === entry) this.#remove(key)
    }
  }

  /** Removes old entries until the bytes fit; where they cannot fit, removes this one: false. */
  #makeRoom(key: string, bytes: number): boolean {
    for (const [other, { isWhole, readers }] of this.#entries) {
      if (this.#bytes + bytes <= this.#maximum) return true
      // An entry that is being read stays in memory anyway.
      if (isWhole && readers === 0) this.#remove(other)
    }
    if (this.#bytes + bytes <= this.#maximum) return true
    this.#remove(key)
    return false
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    // A request that is storing the response goes on sending it and stores nothing more.
    entry.bytes = 0
    entry.chunks.length = 0
  }
}

async function* read(entry: CachedResponse): AsyncGenerator<CachedChunk> {
  entry.readers++
  try {
    yield* entry.chunks
  } finally {
    entry.readers--
  }
}

async function* encode(texts: AsyncIterable<TextChunk>): AsyncGenerator<CachedChunk> {
  for await (const text of texts) {
    const bytes = toBytes(text)
    yield { bytes, length: bytes.length, crc: 0 }
  }
}

async function* deflate(
  texts: AsyncIterable<TextChunk>,
  pool: DeflatePool,
): AsyncGenerator<CachedChunk> {
  for await (const text of texts) {
    const bytes = toBytes(text)
    yield { bytes: await pool.deflate(bytes), length: bytes.length, crc: crc32(bytes) }
  }
}

const toBytes = (text: TextChunk): Uint8Array =>
  typeof text === 'string' ? Buffer.from(text) : text

async function* toPlain(chunks: AsyncIterable<CachedChunk>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes
}

async function* toDeflated(chunks: AsyncIterable<CachedChunk>): AsyncGenerator<DeflatedText> {
  for await (const { bytes, length, crc } of chunks) yield { deflated: bytes, length, crc }
}

/** Copied to shared memory, which is not released after it was sent. */
function share(chunk: CachedChunk): CachedChunk {
  const bytes = Buffer.from(new SharedArrayBuffer(chunk.bytes.length))
  bytes.set(chunk.bytes)
  return { ...chunk, bytes }
}
