import type { ServerResponse } from 'node:http'
import { release } from '../domain/release.ts'

/**
 * An answer that is sent in parts, each when the one before it has left.
 *
 * So a client that reads slowly, or not at all, costs one part of memory, whatever the answer's
 * length. One that is abandoned is cut off: the client sees that the end is missing.
 */
export class LongAnswer {
  readonly #raw: ServerResponse
  #settle: (hasLeft: boolean) => void = () => {}

  /** Of a response whose head is written. */
  constructor(response: ServerResponse) {
    this.#raw = response
    this.#raw.once('close', () => this.#settle(false))
  }

  /** Whether all bytes have left; false when there is nobody to take them. */
  async send(parts: readonly Uint8Array[]): Promise<boolean> {
    if (!(await this.#write(parts))) return false
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
