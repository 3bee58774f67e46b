import { crc32 } from 'node:zlib'
import type { DeflatePool } from './deflate-pool.ts'
import type { JsonChunks } from './write-json.ts'
import type { DeflatedText } from '../../storage/storage.ts'

type Text = string | Uint8Array
type Piece = Uint8Array | DeflatedText
type Entry = { pieces: Piece[]; bytes: number; isWhole: boolean; readers: number }

/**
 * Answers that never change, kept in the bytes in which they are sent, as long as there is room.
 *
 * What was not asked for the longest goes first. Also what is still being gathered counts, so that
 * slow readers of long answers do not take more memory than there may be.
 */
export class ResponseCache {
  readonly #maximum: number
  readonly #pool: DeflatePool
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maximumBytes: number, pool: DeflatePool) {
    this.#maximum = maximumBytes
    this.#pool = pool
  }

  /** How many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The answer of a key: as it is kept, or else as `write` makes it, which is kept then. */
  serve(key: string, write: () => AsyncIterable<Text>): JsonChunks {
    return {
      plain: () => this.#serve(`${key} plain`, () => encode(write()), keepBytes) as never,
      gzip: () => this.#serve(`${key} gzip`, () => deflate(write(), this.#pool), keepDeflated),
    }
  }

  #serve<Part extends Piece>(
    key: string,
    make: () => AsyncIterable<Part>,
    keep: (piece: Part) => Part,
  ): AsyncIterable<Piece> {
    const entry = this.#entries.get(key)
    if (entry?.isWhole === true) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      return readKept(entry)
    }
    // Two that ask at once: the first one gathers.
    return entry === undefined && this.#maximum > 0 ? this.#gather(key, make(), keep) : make()
  }

  async *#gather<Part extends Piece>(
    key: string,
    pieces: AsyncIterable<Part>,
    keep: (piece: Part) => Part,
  ): AsyncGenerator<Part> {
    const entry: Entry = { pieces: [], bytes: 0, isWhole: false, readers: 0 }
    this.#entries.set(key, entry)
    try {
      for await (const piece of pieces) {
        const kept = keep(piece)
        const isKept = this.#entries.get(key) === entry && this.#makeRoom(key, lengthOf(kept))
        if (isKept) {
          entry.pieces.push(kept)
          entry.bytes += lengthOf(kept)
          this.#bytes += lengthOf(kept)
        }
        yield isKept ? kept : piece
      }
      entry.isWhole = true
    } finally {
      if (!entry.isWhole && this.#entries.get(key) === entry) this.#drop(key)
    }
  }

  /** Lets the oldest go until so many more bytes fit; false, and itself gone, when they never do. */
  #makeRoom(key: string, bytes: number): boolean {
    for (const [other, { isWhole, readers }] of this.#entries) {
      if (this.#bytes + bytes <= this.#maximum) return true
      // What is being read stays in memory anyway.
      if (isWhole && readers === 0) this.#drop(other)
    }
    if (this.#bytes + bytes <= this.#maximum) return true
    this.#drop(key)
    return false
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    // Whoever gathers it goes on, for as long as its reader takes, and keeps nothing.
    entry.bytes = 0
    entry.pieces.length = 0
  }
}

async function* readKept(entry: Entry): AsyncGenerator<Piece> {
  entry.readers++
  try {
    yield* entry.pieces
  } finally {
    entry.readers--
  }
}

async function* encode(texts: AsyncIterable<Text>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield toBytes(text)
}

async function* deflate(
  texts: AsyncIterable<Text>,
  pool: DeflatePool,
): AsyncGenerator<DeflatedText> {
  for await (const text of texts) {
    const bytes = toBytes(text)
    const deflated = await pool.deflate(bytes)
    yield { deflated, length: bytes.length, crc: crc32(bytes) }
  }
}

const toBytes = (text: Text): Uint8Array => (typeof text === 'string' ? Buffer.from(text) : text)

const lengthOf = (piece: Piece): number =>
  piece instanceof Uint8Array ? piece.length : piece.deflated.length

/** Shared memory: whoever has sent it does not give it back. */
function keepBytes(bytes: Uint8Array): Uint8Array {
  const kept = Buffer.from(new SharedArrayBuffer(bytes.length))
  kept.set(bytes)
  return kept
}

const keepDeflated = (piece: DeflatedText): DeflatedText => ({
  ...piece,
  deflated: keepBytes(piece.deflated),
})
