import type { Coding } from './content-headers.ts'

/** The bytes of an answer while it is made of pieces; those that are ready wait to be taken. */
export interface ResponseBody<Piece> {
  /** The content coding of the bytes. */
  readonly coding: Coding

  /** How many bytes wait. */
  readonly bytes: number

  /** Takes over a piece, memory and all; the next one follows when the promise has resolved. */
  add(piece: Piece): Promise<void> | undefined

  /** Adds what belongs behind the last piece. */
  end(): Promise<void> | undefined

  /** Gives away what waits. */
  take(): Uint8Array[]
}

/** The pieces as they are. */
export class PlainBody implements ResponseBody<string | Uint8Array> {
  readonly coding = 'identity'
  bytes = 0
  #parts: Uint8Array[] = []

  add(piece: string | Uint8Array): undefined {
    const part = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#parts.push(part)
    this.bytes += part.length
  }

  end(): undefined {}

  take(): Uint8Array[] {
    const parts = this.#parts
    this.#parts = []
    this.bytes = 0
    return parts
  }
}
