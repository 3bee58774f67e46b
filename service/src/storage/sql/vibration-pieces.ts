import { crc32 } from 'node:zlib'
import { DamageError } from '../../domain/damage-error.ts'

/** More pieces no batch has: 2 GB of samples. */
export const PIECES_MAXIMUM = 2 ** 21

/** Eight pieces fill a page of 8,192 bytes, whatever the length of a waveform. */
const PIECE_BYTES = 1004

export type Piece = { crc: number; samples: Uint8Array }

/** The little-endian bytes of a waveform in pieces: single precision where it holds every sample. */
export function cutSamples(samples: Float64Array): {
  sampleBytes: 4 | 8
  pieces: { crc: number; bytes: Uint8Array }[]
} {
  const single = new Float32Array(samples)
  const isSingle = areEqual(samples, single)
  const exact = isSingle ? single : samples.slice()
  const bytes = new Uint8Array(exact.buffer)
  const width = PIECE_BYTES - (PIECE_BYTES % exact.BYTES_PER_ELEMENT)
  const pieces = Array.from({ length: Math.ceil(bytes.length / width) }, (_, at) => {
    const piece = bytes.subarray(at * width, (at + 1) * width)
    return { crc: crc32(piece), bytes: piece }
  })
  return { sampleBytes: isSingle ? 4 : 8, pieces }
}

function areEqual(one: Float64Array, other: Float32Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

/** The samples of pieces that follow one another; `first` is the place of the first, for a sentence. */
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
  }
  if (length % sampleBytes !== 0)
    throw new DamageError(`its samples from ${first + 1} on are cut short`)
  return sampleBytes === 4
    ? new Float64Array(new Float32Array(bytes.buffer))
    : new Float64Array(bytes.buffer)
}
