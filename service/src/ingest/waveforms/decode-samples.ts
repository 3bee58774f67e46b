export const SAMPLE_BYTES = { float32: 4, float64: 8 } as const

export type Encoding = keyof typeof SAMPLE_BYTES

/** Little-endian samples; `bytes` are a whole number of them. */
export function decodeSamples(bytes: Uint8Array, encoding: Encoding): Float64Array {
  // A copy starts at an even address, as typed arrays want it.
  const { buffer } = new Uint8Array(bytes)
  return encoding === 'float32'
    ? new Float64Array(new Float32Array(buffer))
    : new Float64Array(buffer)
}
