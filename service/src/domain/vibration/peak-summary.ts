import { RefusedError } from '../../errors/refused-error.ts'

/** What a vibration station's theme record carries of a waveform, in the waveform's unit. */
export type PeakSummary = {
  /** The signed sample of the largest magnitude; the first of several. */
  pv: number
  /** The largest sample minus the smallest. */
  ppv: number
  /** The root mean square of the samples as they are stored: their mean is part of it. */
  trms: number
}

/** Sums up a waveform of finite samples; refuses one without any. */
export function peakSummary(samples: Float64Array): PeakSummary {
  if (samples.length === 0) {
    throw new RefusedError('invalid', 'samples is empty, expected at least one')
  }
  let low = Infinity
  let high = -Infinity
  let pv = 0
  // By index: a million samples pass by three times as fast as an iterator hands them out.
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
  // A power of two as the unit changes no digit, and squares neither overflow nor vanish.
  const unit = 2 ** Math.min(Math.floor(Math.log2(peak)), 1023)
  let sum = 0
  let lost = 0
  for (let n = 0; n < samples.length; n++) {
    // Kahan's summation: what an addition rounds off goes into the next one.
    const scaled = samples[n]! / unit
    const square = scaled * scaled - lost
    const next = sum + square
    lost = next - sum - square
    sum = next
  }
  return Math.sqrt(sum / samples.length) * unit
}
