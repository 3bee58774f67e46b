import FFT from 'fft.js'
import { bluestein } from './bluestein.ts'
import { RefusedError } from '../refused-error.ts'

/** `amplitude[k]` is that of the frequency `frequency(k)` in Hz, for k from 0 to floor(N/2). */
export type Spectrum = { amplitude: Float64Array; frequency(k: number): number }

/**
 * The single-sided amplitude spectrum of a waveform, in the waveform's unit.
 *
 * The mean is removed; the window is rectangular; N is the real number of samples, never padded
 * or cut. A sine of amplitude A on a bin reads A there. Samples are finite; refuses none at all.
 */
export function spectrum(samples: Float64Array, sampleHz: number): Spectrum {
  const count = samples.length
  if (count === 0) {
    throw new RefusedError('invalid', 'samples is empty, expected at least one')
  }
  const centred = removeMean(samples)
  const amplitude = count % 2 === 0 ? evenAmplitude(centred) : oddAmplitude(centred)
  amplitude[0] = 0
  if (count % 2 === 0) amplitude[count / 2]! /= 2
  return { amplitude, frequency: (k) => (k * sampleHz) / count }
}

/** 2|X_k|/N, from one transform of half the length: pairs of samples as complex numbers. */
function evenAmplitude(samples: Float64Array): Float64Array {
  const count = samples.length
  const half = count / 2
  const mixed = transform(samples)
  const amplitude = new Float64Array(half + 1)
  for (let k = 0; k <= half; k++) {
    const at = k === half ? 0 : 2 * k
    const mirrored = k === 0 ? 0 : 2 * (half - k)
    // Even samples have the symmetric part of `mixed` as their transform, odd ones the rest.
    const evenReal = (mixed[at]! + mixed[mirrored]!) / 2
    const evenImaginary = (mixed[at + 1]! - mixed[mirrored + 1]!) / 2
    const oddReal = (mixed[at + 1]! + mixed[mirrored + 1]!) / 2
    const oddImaginary = (mixed[mirrored]! - mixed[at]!) / 2
    const angle = (2 * Math.PI * k) / count
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    const real = evenReal + cos * oddReal + sin * oddImaginary
    const imaginary = evenImaginary + cos * oddImaginary - sin * oddReal
    amplitude[k] = (2 * Math.sqrt(real * real + imaginary * imaginary)) / count
  }
  return amplitude
}

/** 2|X_k|/N, from a transform of the samples as they are. */
function oddAmplitude(samples: Float64Array): Float64Array {
  const count = samples.length
  const points = new Float64Array(2 * count)
  for (let n = 0; n < count; n++) points[2 * n] = samples[n]!
  const bins = transform(points)
  const amplitude = new Float64Array((count + 1) / 2)
  for (let k = 0; k < amplitude.length; k++) {
    const real = bins[2 * k]!
    const imaginary = bins[2 * k + 1]!
    amplitude[k] = (2 * Math.sqrt(real * real + imaginary * imaginary)) / count
  }
  return amplitude
}

/** The discrete Fourier transform of interleaved complex numbers. */
function transform(points: Float64Array): Float64Array {
  const count = points.length / 2
  if (count === 1) return points
  if (!Number.isInteger(Math.log2(count))) return bluestein(points)
  const output = new Float64Array(points.length)
  new FFT(count).transform(output, points)
  return output
}

function removeMean(samples: Float64Array): Float64Array {
  let sum = 0
  for (const sample of samples) sum += sample
  const mean = sum / samples.length
  return samples.map((sample) => sample - mean)
}
