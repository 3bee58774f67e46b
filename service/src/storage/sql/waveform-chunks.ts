import { crc32 } from 'node:zlib'
import { DamageError } from '../../errors/damage-error.ts'
import { release } from '../../concurrency/release-memory.ts'

/** More pieces no batch has: 2 GB of samples. */
export const PIECES_MAXIMUM = 2 ** 21

export type Piece = { crc: number; samples: Uint8Array }

/**
 * The samples of pieces that follow one another, whose memory it takes over; `first` is the place of
 * the first, for a sentence.
 */
export function joinPieces(
  pieces: readonly Piece[],
  sampleBytes: number,
  first: number,
): Float64Array {
  const length = pieces.reduce((sum, { samples }) => sum + samples.length, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { crc, samples } of pieces) {
    if (crc32(samples) !== crc)
      throw new DamageError(`its samples from ${first + at / sampleBytes + 1} on are damaged`)
    bytes.set(samples, at)
    at += samples.length
    // Thousands of them would wait for the garbage collector.
    release(samples)
  }
  if (length % sampleBytes !== 0)
    throw new DamageError(`its samples from ${first + 1} on are cut short`)
  return sampleBytes === 4
    ? new Float64Array(new Float32Array(bytes.buffer))
    : new Float64Array(bytes.buffer)
}
