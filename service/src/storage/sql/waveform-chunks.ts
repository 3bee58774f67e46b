import { crc32 } from 'node:zlib'
import { DamageError } from '../../errors/damage-error.ts'
import type { Columns } from './engine.ts'
import { release } from '../../concurrency/release-memory.ts'

/** The most chunks that a waveform has: 2 GB of samples. */
export const CHUNKS_MAXIMUM = 2 ** 21

type ChunkRow = Columns<'waveform_chunks', 'crc' | 'samples'>

/**
 * The samples of consecutive chunks, whose memory is released. `first` is the index of the first
 * sample, for errors.
 */
export function joinChunks(
  chunks: readonly ChunkRow[],
  sampleBytes: number,
  first: number,
): Float64Array {
  const length = chunks.reduce((sum, { samples }) => sum + samples.length, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { crc, samples } of chunks) {
    if (crc32(samples) !== crc)
      throw new DamageError(`samples ${first + at / sampleBytes + 1} and later are damaged`)
    bytes.set(samples, at)
    at += samples.length
    // Otherwise thousands of chunks would wait for the garbage collector.
    release(samples)
  }
  if (length % sampleBytes !== 0)
    throw new DamageError(`its samples from ${first + 1} on are cut short`)
  return sampleBytes === 4
    ? new Float64Array(new Float32Array(bytes.buffer))
    : new Float64Array(bytes.buffer)
}
