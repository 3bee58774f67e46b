import type { ServerResponse } from 'node:http'
import { release } from '../../concurrency/release-memory.ts'

/** Bytes of one write; until the client has read them they are held a second time, encrypted. */
const WRITE_BYTES = 128 * 1024

/**
 * A response that is sent in parts, each after the client has taken the one before it.
 *
 * A slow client therefore costs the memory of one part, however long the response is.
 */
export class LongResponse {
  readonly #raw: ServerResponse
  #resolveWrite: (isSent: boolean) => void = () => {}

  /** `response` has its head written. */
  constructor(response: ServerResponse) {
    this.#raw = response
    this.#raw.once('close', () => this.#resolveWrite(false))
  }

  /** Sends bytes; false when the client has closed the connection. */
  async send(parts: readonly Uint8Array[]): Promise<boolean> {
    for (const write of cutWrites(parts)) if (!(await this.#write(write))) return false
    for (const part of parts) release(part)
    return true
  }

  end(): void {
    this.#raw.end()
  }

  /** Cuts the response off: a client that is still there sees that the end is missing. */
  abandon(): void {
    this.#raw.destroy()
  }

  #write(parts: readonly Uint8Array[]): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#resolveWrite = resolve
    // Corked, the parts become one chunk of the response and one write of the socket.
    this.#raw.cork()
    for (const part of parts.slice(0, -1)) this.#raw.write(part)
    this.#raw.write(parts.at(-1) ?? '', (error) => resolve(!error))
    this.#raw.uncork()
    return promise
  }
}

/** Divides bytes into lists of at most `WRITE_BYTES`. */
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
