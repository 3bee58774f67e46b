import { crc32 } from 'node:zlib'

/** A waveform in the form in which it is kept: the bytes of its numbers, cut into pieces. */
export type SampleChunks = {
  /** How many samples there are. */
  length: number
  /** Single precision where it holds every sample. */
  sampleBytes: 4 | 8
  /** Little-endian numbers, one behind the other. */
  bytes: Uint8Array<ArrayBuffer>
  /** Bytes of each piece; the last may have fewer. */
  chunkBytes: number
  /** The CRC-32 of each piece. */
  checksums: Uint32Array
}

/** Eight pieces fill a page of 8,192 bytes, whatever the length of a waveform. */
const CHUNK_BYTES = 1004

export function chunkSamples(samples: Float64Array): SampleChunks {
  const sampleBytes = areSingle(samples) ? 4 : 8
  const memory = new ArrayBuffer(samples.length * sampleBytes)
  const exact = sampleBytes === 4 ? new Float32Array(memory) : new Float64Array(memory)
  exact.set(samples)
  const bytes = new Uint8Array(memory)
  const chunkBytes = CHUNK_BYTES - (CHUNK_BYTES % sampleBytes)
  const checksums = new Uint32Array(Math.ceil(bytes.length / chunkBytes))
  for (let at = 0; at < checksums.length; at++)
    checksums[at] = crc32(bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes))
  return { length: samples.length, sampleBytes, bytes, chunkBytes, checksums }
}

/** The bytes of a piece, counted from 0. */
export const chunkOf = ({ bytes, chunkBytes }: SampleChunks, at: number): Uint8Array =>
  bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes)

/** The samples of a waveform that was cut. */
export function joinSamples({
  bytes,
  sampleBytes,
  length,
}: SampleChunks): Float64Array<ArrayBuffer> {
  const { buffer, byteOffset } = bytes
  return new Float64Array(
    sampleBytes === 4
      ? new Float32Array(buffer, byteOffset, length)
      : new Float64Array(buffer, byteOffset, length),
  )
}

/** The samples of a waveform, whether it was cut or not. */
export const toSamples = <Bare extends Float64Array>(
  given: Bare | SampleChunks,
): Bare | Float64Array<ArrayBuffer> => (given instanceof Float64Array ? given : joinSamples(given))

function areSingle(samples: Float64Array): boolean {
  for (let at = 0; at < samples.length; at++)
    if (Math.fround(samples[at]!) !== samples[at]) return false
  return true
}
