import FFT from 'fft.js'
import { bluestein } from './bluestein.ts'

let plan: { size: number; fft: FFT } | undefined

/** The discrete Fourier transform of interleaved complex numbers, of any number of points. */
export function transform(points: Float64Array): Float64Array {
  const count = points.length / 2
  if (count <= 1) return points.slice()
  if (!Number.isInteger(Math.log2(count))) return bluestein(points)
  // Segments of one length follow one another, and the tables of a length are its own.
  if (plan?.size !== count) plan = { size: count, fft: new FFT(count) }
  const output = new Float64Array(points.length)
  plan.fft.transform(output, points)
  return output
}

/**
 * The transform of real samples at k = 0..floor(N/2), interleaved: real part, imaginary part.
 *
 * The other half mirrors it.
 */
export function transformReal(samples: Float64Array): Float64Array {
  return samples.length % 2 === 0 ? transformEven(samples) : transformOdd(samples)
}

/** The real samples whose transform `transformReal` gives; `count` is their number. */
export function inverseReal(bins: Float64Array, count: number): Float64Array {
  // The inverse is the transform of the conjugate, conjugated, by N; the imaginary part is 0.
  const points = new Float64Array(2 * count)
  for (let k = 0; 2 * k < bins.length; k++) {
    const mirrored = (count - k) % count
    points[2 * mirrored] = bins[2 * k]!
    points[2 * mirrored + 1] = bins[2 * k + 1]!
    points[2 * k] = bins[2 * k]!
    points[2 * k + 1] = -bins[2 * k + 1]!
  }
  const output = transform(points)
  return Float64Array.from({ length: count }, (_, n) => output[2 * n]! / count)
}

/** From one transform of half the length: pairs of samples as complex numbers. */
function transformEven(samples: Float64Array): Float64Array {
  const count = samples.length
  const half = count / 2
  const mixed = transform(samples)
  const bins = new Float64Array(2 * (half + 1))
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
    bins[2 * k] = evenReal + cos * oddReal + sin * oddImaginary
    bins[2 * k + 1] = evenImaginary + cos * oddImaginary - sin * oddReal
  }
  return bins
}

/** From a transform of the samples as they are. */
function transformOdd(samples: Float64Array): Float64Array {
  const count = samples.length
  const points = new Float64Array(2 * count)
  for (let n = 0; n < count; n++) points[2 * n] = samples[n]!
  return transform(points).slice(0, count + 1)
}
