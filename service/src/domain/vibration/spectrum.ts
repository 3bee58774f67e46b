import { RefusedError } from '../../errors/refused-error.ts'
import { binPowers, transformReal } from './fourier.ts'
import { coherentGain, windowWeights, type WindowName } from './window.ts'

/** `amplitude[k]` is at `frequency(k)` in Hz, for k from 0 to floor(N/2). */
type Spectrum = { amplitude: Float64Array; frequency(k: number): number }

/**
 * Returns the single-sided amplitude spectrum of a waveform, in the waveform's unit.
 *
 * The mean is removed. N is the number of samples, without padding or truncation. A sine of
 * amplitude A on a bin has amplitude A there, with any window. Samples must be finite; an empty
 * waveform is refused.
 */
export function spectrum(
  samples: Float64Array,
  sampleHz: number,
  window: WindowName = 'rectangular',
): Spectrum {
  const count = samples.length
  const scale = safeScale(samples)
  const centred = removeMean(scale === 1 ? samples : samples.map((sample) => sample / scale))
  const scaled = amplitudesOf(window === 'rectangular' ? centred : applyWindow(centred, window))
  const amplitude = scale === 1 ? scaled : scaled.map((value) => value * scale)
  amplitude[0] = 0
  return { amplitude, frequency: (k) => (k * sampleHz) / count }
}

/**
 * The divisor of samples whose squares would overflow or underflow, else 1.
 *
 * It is a power of two, so that it changes no digit.
 */
function safeScale(samples: Float64Array): number {
  let peak = 0
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  const isSafe = peak === 0 || (peak > 1e-120 && peak < 1e120)
  return isSafe ? 1 : 2 ** Math.floor(Math.log2(peak))
}

/** Returns 2|X_k|/N, and |X_k|/N at k = 0 and half the sampling frequency. */
export function amplitudesOf(samples: Float64Array): Float64Array {
  const count = samples.length
  const values = binPowers(transformReal(samples))
  for (let k = 0; k < values.length; k++) {
    const sides = k === 0 || 2 * k === count ? 1 : 2
    values[k] = (sides * Math.sqrt(values[k]!)) / count
  }
  return values
}

/** Returns the samples minus their mean. An empty waveform is refused. */
export function removeMean(samples: Float64Array): Float64Array {
  if (samples.length === 0) {
    throw new RefusedError('invalid', 'samples is empty, expected at least one')
  }
  let sum = 0
  for (const sample of samples) sum += sample
  const mean = sum / samples.length
  return samples.map((sample) => sample - mean)
}

/** Returns the samples multiplied by a window and divided by its coherent gain. */
export function applyWindow(samples: Float64Array, window: WindowName): Float64Array {
  const weights = windowWeights(window, samples.length)
  const gain = coherentGain(weights)
  return samples.map((sample, n) => (sample * weights[n]!) / gain)
}
