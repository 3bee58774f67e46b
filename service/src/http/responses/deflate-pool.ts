import { constants, createDeflateRaw } from 'node:zlib'

/** So many texts are compressed at a time; each compressor holds some 300 KB. */
const AT_ONCE = 16
const CHUNK_BYTES = 64 * 1024

/** Level 1: a tenth more bytes than level 6 for a third of the time. Every write ends at a byte. */
const SETTINGS = { level: 1, chunkSize: CHUNK_BYTES, flush: constants.Z_SYNC_FLUSH }

/**
 * Compresses texts on the thread pool, each by itself, with compressors that are used again.
 *
 * What comes out is raw DEFLATE that ends at a byte's edge, its last block not marked last. A new
 * compressor for each text is a quarter of a megabyte outside the heap, and so many of them make
 * the garbage collector take as much time as the compression.
 */
export class DeflatePool implements Disposable {
  readonly #idle: Compressor[] = []
  readonly #waiting: (() => void)[] = []
  #busy = 0

  /** Waits for its turn behind the texts that came before. */
  async deflate(text: Uint8Array): Promise<Buffer> {
    if (this.#busy < AT_ONCE) this.#busy++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      const compressor = this.#idle.pop() ?? new Compressor()
      const deflated = await compressor.deflate(text)
      // One that failed is not put back.
      this.#idle.push(compressor)
      return deflated
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#busy--
      else next()
    }
  }

  /** Frees the compressors. */
  [Symbol.dispose](): void {
    for (const compressor of this.#idle.splice(0)) compressor[Symbol.dispose]()
  }
}

class Compressor implements Disposable {
  readonly #stream = createDeflateRaw(SETTINGS)
  #chunks: Buffer[] = []

  constructor() {
    this.#stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  [Symbol.dispose](): void {
    this.#stream.destroy()
  }

  async deflate(text: Uint8Array): Promise<Buffer> {
    this.#chunks = []
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#stream.once('error', reject)
    this.#stream.write(text, () => resolve())
    await promise
    this.#stream.off('error', reject)
    this.#stream.reset()
    // Chunks of several texts lie in the same memory, and each would keep all of it.
    return Buffer.concat(this.#chunks.splice(0))
  }
}
