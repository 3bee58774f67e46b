import { Turn } from '../../concurrency/turn.ts'
import type { Encoding } from '../../encodings/character-encoding.ts'

const ZEROS = Buffer.alloc(64 * 1024)
/** Chunks of NUL bytes between two pauses for other work. */
const CHUNKS_AT_ONCE = 16

/**
 * Cuts off the NUL bytes at the end of a file: space that its writer has reserved and not filled.
 *
 * NUL bytes before other bytes are passed on. `length` is the number of bytes cut off, once all is
 * read. Reading ends after more than about `mostBytes` NUL bytes in a row.
 */
export class NulTail {
  readonly #isWide: boolean
  readonly #mostBytes: number
  #held = 0
  #passed = 0

  constructor(encoding: Encoding, mostBytes = Infinity) {
    this.#mostBytes = mostBytes
    this.#isWide = encoding.startsWith('utf-16')
  }

  get length(): number {
    return this.#held
  }

  /** Whether reading ended because there were more than `mostBytes`. */
  get isTooLong(): boolean {
    return this.#held > this.#mostBytes
  }

  async *cutOff(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const end = endOfData(chunk)
      if (end > 0) {
        yield* this.#release(this.#held)
        this.#passed += end
        yield chunk.subarray(0, end)
      }
      this.#held += chunk.length - end
      if (this.isTooLong) break
    }
    // The other half of the last character may be a NUL byte.
    if (this.#isWide && this.#passed % 2 === 1) yield* this.#release(Math.min(this.#held, 1))
  }

  async *#release(count: number): AsyncGenerator<Uint8Array> {
    this.#held -= count
    this.#passed += count
    const turn = new Turn({ items: CHUNKS_AT_ONCE })
    for (let left = count; left > 0; left -= ZEROS.length) {
      yield ZEROS.subarray(0, Math.min(left, ZEROS.length))
      if (turn.isOver()) await turn.pass()
    }
  }
}

/** The offset after the last byte that is not NUL. */
function endOfData(chunk: Uint8Array): number {
  if (chunk[0] === 0 && ZEROS.subarray(0, chunk.length).equals(chunk)) return 0
  let end = chunk.length
  while (end > 0 && chunk[end - 1] === 0) end--
  return end
}
