import { crc32 } from 'node:zlib'
import type { DeflatePool } from '../../encodings/deflate-pool.ts'
import { deflateSmall } from '../../encodings/deflate-small.ts'
import type { DeflatedText } from '../stores/records.ts'
import type { Piece } from './divide-records.ts'

/** More text at once would keep other requests waiting. */
const AT_ONCE_BYTES = 32 * 1024

/** Compresses each piece by itself. */
export async function compressPieces(
  pieces: readonly Piece[],
  pool: DeflatePool,
): Promise<DeflatedText[]> {
  const bytes = pieces.reduce((sum, { text }) => sum + text.length, 0)
  if (bytes <= AT_ONCE_BYTES) return pieces.map(({ text }) => deflateSmall(text))
  return Promise.all(
    pieces.map(async ({ text }) => ({
      deflated: await pool.deflate(text),
      length: text.length,
      crc: crc32(text),
    })),
  )
}
