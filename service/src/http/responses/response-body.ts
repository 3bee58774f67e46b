import type { Coding } from './content-headers.ts'

/** Encodes the chunks of a response to bytes and buffers them until they are sent. */
export interface ResponseBody<Chunk> {
  /** The content coding of the bytes. */
  readonly coding: Coding

  /** How many bytes are buffered. */
  readonly bytes: number

  /**
   * Adds a chunk, whose memory then belongs to the body. The next one may be added when the promise
   * has resolved.
   */
  add(chunk: Chunk): Promise<void> | undefined

  /** Adds the bytes that follow the last chunk. */
  end(): Promise<void> | undefined

  /** Removes and returns the buffered bytes. */
  take(): Uint8Array[]
}

/** A body without compression. */
export class PlainBody implements ResponseBody<string | Uint8Array> {
  readonly coding = 'identity'
  bytes = 0
  #buffers: Uint8Array[] = []

  add(chunk: string | Uint8Array): undefined {
    const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    this.#buffers.push(buffer)
    this.bytes += buffer.length
  }

  end(): undefined {}

  take(): Uint8Array[] {
    const buffers = this.#buffers
    this.#buffers = []
    this.bytes = 0
    return buffers
  }
}
