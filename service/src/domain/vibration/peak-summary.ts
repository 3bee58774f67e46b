import { RefusedError } from '../../errors/refused-error.ts'

/** The values of a waveform in the station's record of the same time, in the waveform's unit. */
export type PeakSummary = {
  /** The signed sample of the largest magnitude; the first one of equal magnitudes. */
  pv: number
  /** The largest sample minus the smallest. */
  ppv: number
  /** The root mean square of the samples, without removing their mean. */
  trms: number
}

/** Summarises a waveform of finite samples. An empty waveform is refused. */
export function peakSummary(samples: Float64Array): PeakSummary {
  if (samples.length === 0) {
    throw new RefusedError('invalid', 'samples is empty, expected at least one')
  }
  let low = Infinity
  let high = -Infinity
  let pv = 0
  // An index is several times as fast as an iterator of a typed array.
  for (let n = 0; n < samples.length; n++) {
    const sample = samples[n]!
    if (sample < low) low = sample
    if (sample > high) high = sample
    if (Math.abs(sample) > Math.abs(pv)) pv = sample
  }
  return { pv, ppv: high - low, trms: rootMeanSquare(samples, Math.abs(pv)) }
}

function rootMeanSquare(samples: Float64Array, peak: number): number {
  if (peak === 0) return 0
  // Dividing by a power of two changes no digit, and squares neither overflow nor underflow.
  const unit = 2 ** Math.min(Math.floor(Math.log2(peak)), 1023)
  let sum = 0
  let error = 0
  for (let n = 0; n < samples.length; n++) {
    // Kahan summation: the rounding error of an addition is subtracted from the next one.
    const scaled = samples[n]! / unit
    const square = scaled * scaled - error
    const next = sum + square
    error = next - sum - square
    sum = next
  }
  return Math.sqrt(sum / samples.length) * unit
}
