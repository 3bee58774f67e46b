import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/** A piece of a file to be hashed, in memory that goes back to the sender; null at its end. */
export type HashedPiece = { buffer: ArrayBuffer; length: number } | null

/** The memory of a piece, or at the end the SHA-256 of all of them. */
export type HashReply = ArrayBuffer | string

const hash = createHash('sha256')

parentPort?.on('message', (piece: HashedPiece) => {
  if (piece === null) {
    parentPort?.postMessage(hash.digest('hex'))
    parentPort?.close()
    return
  }
  hash.update(new Uint8Array(piece.buffer, 0, piece.length))
  parentPort?.postMessage(piece.buffer, [piece.buffer])
})
