import type { ServerResponse } from 'node:http'
import { release } from '../../concurrency/release-memory.ts'

/** So much is written at once: what the client does not take is held a second time, encrypted. */
const WRITE_BYTES = 128 * 1024

/**
 * An answer that is sent in parts, each when the one before it has left.
 *
 * So a client that reads slowly, or not at all, costs one part of memory, whatever the answer's
 * length. One that is abandoned is cut off: the client sees that the end is missing.
 */
export class LongResponse {
  readonly #raw: ServerResponse
  #settle: (hasLeft: boolean) => void = () => {}

  /** Of a response whose head is written. */
  constructor(response: ServerResponse) {
    this.#raw = response
    this.#raw.once('close', () => this.#settle(false))
  }

  /** Whether all bytes have left; false when there is nobody to take them. */
  async send(parts: readonly Uint8Array[]): Promise<boolean> {
    for (const write of cutWrites(parts)) if (!(await this.#write(write))) return false
    for (const part of parts) release(part)
    return true
  }

  end(): void {
    this.#raw.end()
  }

  /** A client that has gone is no fault of ours; one that stays sees that the end is missing. */
  abandon(): void {
    this.#raw.destroy()
  }

  #write(parts: readonly Uint8Array[]): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#settle = resolve
    // Corked, they are one chunk of the answer and one write of the connection.
    this.#raw.cork()
    for (const part of parts.slice(0, -1)) this.#raw.write(part)
    this.#raw.write(parts.at(-1) ?? '', (error) => resolve(!error))
    this.#raw.uncork()
    return promise
  }
}

/** The same bytes in lists of at most so many. */
function* cutWrites(parts: readonly Uint8Array[]): Generator<Uint8Array[]> {
  let write: Uint8Array[] = []
  let room = WRITE_BYTES
  for (const part of parts)
    for (let at = 0; at < part.length;) {
      const taken = part.subarray(at, at + room)
      write.push(taken)
      at += taken.length
      room -= taken.length
      if (room > 0) continue
      yield write
      write = []
      room = WRITE_BYTES
    }
  if (write.length > 0) yield write
}
