import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

/** Less text is stored: to compress it takes more time than to encrypt what that saves. */
const STORED_BYTES = 2_048

/** A window of 4 KB: memory for a larger one takes longer than to compress some thousand bytes. */
const SETTINGS = {
  level: 1,
  windowBits: 12,
  memLevel: 5,
  finishFlush: constants.Z_SYNC_FLUSH,
}

type SmallText = { deflated: Buffer; length: number; crc: number }

/**
 * Compresses some thousand bytes at once, which takes less time than to hand them to a thread.
 *
 * The output is raw DEFLATE as that of `DeflatePool`.
 */
export const deflateSmall = (text: Uint8Array): SmallText => ({
  deflated: text.length < STORED_BYTES ? storedBlock(text) : compress(text),
  length: text.length,
  crc: crc32(text),
})

/** A smaller buffer for the output than Node's leaves less to the garbage collector. */
const compress = (text: Uint8Array): Buffer =>
  deflateRawSync(text, { ...SETTINGS, chunkSize: Math.ceil(text.length / 2) })

/** A text as a stored block that is not the last one (RFC 1951, 3.2.4). */
function storedBlock(text: Uint8Array): Buffer {
  const block = Buffer.allocUnsafe(5 + text.length)
  block[0] = 0
  block.writeUInt16LE(text.length, 1)
  block.writeUInt16LE(text.length ^ 0xffff, 3)
  block.set(text, 5)
  return block
}

/** The text of raw DEFLATE that ends in a sync flush, by its length. */
export const inflateText = (deflated: Uint8Array, length: number): Buffer =>
  inflateRawSync(deflated, {
    // One more byte: a full chunk would be followed by an empty one.
    chunkSize: Math.max(64, length + 1),
    finishFlush: constants.Z_SYNC_FLUSH,
  })
