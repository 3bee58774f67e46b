import type { UnitConversion } from '../../domain/units/units.ts'

export const SAMPLE_BYTES = { float32: 4, float64: 8 } as const

export type SampleEncoding = keyof typeof SAMPLE_BYTES

/** How bare samples are read, and converted to the unit of their station. */
export type SampleDecoding = { encoding: SampleEncoding; conversion: UnitConversion | undefined }

export const isSampleEncoding = (value: unknown): value is SampleEncoding =>
  typeof value === 'string' && Object.hasOwn(SAMPLE_BYTES, value)

/** Decodes little-endian samples; `bytes` has a whole number of them. */
export function decodeSamples(bytes: Uint8Array, encoding: SampleEncoding): Float64Array {
  // A copy is aligned for typed arrays.
  const { buffer } = new Uint8Array(bytes)
  return encoding === 'float32'
    ? new Float64Array(new Float32Array(buffer))
    : new Float64Array(buffer)
}
