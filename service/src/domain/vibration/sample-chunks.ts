import { crc32 } from 'node:zlib'

/** A waveform as it is stored: the bytes of its samples, divided into chunks. */
export type SampleChunks = {
  /** The number of samples. */
  length: number
  /** 4 (single precision) if that represents every sample exactly. */
  sampleBytes: 4 | 8
  /** Little-endian numbers without gaps. */
  bytes: Uint8Array<ArrayBuffer>
  /** Bytes of each chunk; the last chunk may have fewer. */
  chunkBytes: number
  /** The CRC-32 of each chunk. */
  checksums: Uint32Array
}

/** Eight chunks fill a database page of 8,192 bytes, whatever the length of a waveform. */
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

/** Returns the bytes of a chunk; the first chunk is 0. */
export const chunkOf = ({ bytes, chunkBytes }: SampleChunks, at: number): Uint8Array =>
  bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes)

/** Returns the samples of a waveform that was divided into chunks. */
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

/** Returns the samples of a waveform, whether it is divided into chunks or not. */
export const toSamples = <Samples extends Float64Array>(
  waveform: Samples | SampleChunks,
): Samples | Float64Array<ArrayBuffer> =>
  waveform instanceof Float64Array ? waveform : joinSamples(waveform)

function areSingle(samples: Float64Array): boolean {
  for (let at = 0; at < samples.length; at++)
    if (Math.fround(samples[at]!) !== samples[at]) return false
  return true
}
