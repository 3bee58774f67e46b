import { RefusedError } from '../../errors/refused-error.ts'
import { transformReal } from './fourier.ts'
import { coherentGain, windowOf, type WindowName } from './window.ts'

/** `amplitude[k]` is that of the frequency `frequency(k)` in Hz, for k from 0 to floor(N/2). */
export type Spectrum = { amplitude: Float64Array; frequency(k: number): number }

/**
 * The single-sided amplitude spectrum of a waveform, in the waveform's unit.
 *
 * The mean is removed; N is the real number of samples, never padded or cut. A sine of amplitude A
 * on a bin reads A there, with any window: rectangular, unless another is named. Samples are
 * finite; refuses none at all.
 */
export function spectrum(
  samples: Float64Array,
  sampleHz: number,
  window: WindowName = 'rectangular',
): Spectrum {
  const count = samples.length
  const unit = unitOf(samples)
  const centred = removeMean(unit === 1 ? samples : samples.map((sample) => sample / unit))
  const scaled = amplitudeOf(window === 'rectangular' ? centred : weigh(centred, window))
  const amplitude = unit === 1 ? scaled : scaled.map((value) => value * unit)
  amplitude[0] = 0
  return { amplitude, frequency: (k) => (k * sampleHz) / count }
}

/** A power of two as the unit changes no digit; it is needed where squares overflow or vanish. */
function unitOf(samples: Float64Array): number {
  let peak = 0
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  const isTame = peak === 0 || (peak > 1e-120 && peak < 1e120)
  return isTame ? 1 : 2 ** Math.floor(Math.log2(peak))
}

/** 2|X_k|/N, and |X_k|/N at k = 0 and half the sampling frequency. */
export function amplitudeOf(samples: Float64Array): Float64Array {
  const count = samples.length
  const bins = transformReal(samples)
  const amplitude = new Float64Array(bins.length / 2)
  for (let k = 0; k < amplitude.length; k++) {
    const real = bins[2 * k]!
    const imaginary = bins[2 * k + 1]!
    const sides = k === 0 || 2 * k === count ? 1 : 2
    amplitude[k] = (sides * Math.sqrt(real * real + imaginary * imaginary)) / count
  }
  return amplitude
}

/** The samples about their mean; refuses none at all. */
export function removeMean(samples: Float64Array): Float64Array {
  if (samples.length === 0) {
    throw new RefusedError('invalid', 'samples is empty, expected at least one')
  }
  let sum = 0
  for (const sample of samples) sum += sample
  const mean = sum / samples.length
  return samples.map((sample) => sample - mean)
}

/** The samples under a window whose gain is taken out again. */
export function weigh(samples: Float64Array, window: WindowName): Float64Array {
  const weights = windowOf(window, samples.length)
  const gain = coherentGain(weights)
  return samples.map((sample, n) => (sample * weights[n]!) / gain)
}
