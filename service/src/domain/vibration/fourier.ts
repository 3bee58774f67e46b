import FFT from 'fft.js'
import { bluestein } from './bluestein.ts'

let plan: { size: number; fft: FFT } | undefined

/** The discrete Fourier transform of interleaved complex numbers, of any number of points. */
function transform(points: Float64Array): Float64Array {
  const count = points.length / 2
  if (count <= 1) return points.slice()
  if (!Number.isInteger(Math.log2(count))) return bluestein(points)
  // The tables depend on the length only, and the segments of a waveform have one length.
  if (plan?.size !== count) plan = { size: count, fft: new FFT(count) }
  const output = new Float64Array(points.length)
  plan.fft.transform(output, points)
  return output
}

/**
 * Returns the transform of real samples at k = 0..floor(N/2), interleaved: real part, imaginary part.
 *
 * The other half is its mirror image.
 */
export function transformReal(samples: Float64Array): Float64Array {
  return samples.length % 2 === 0 ? transformEven(samples) : transformOdd(samples)
}

/** Returns |X_k|² of each of the interleaved complex numbers X_k. */
export function binPowers(bins: Float64Array): Float64Array {
  const powers = new Float64Array(bins.length / 2)
  for (let k = 0; k < powers.length; k++) {
    const [real, imaginary] = [bins[2 * k]!, bins[2 * k + 1]!]
    powers[k] = real * real + imaginary * imaginary
  }
  return powers
}

/** Returns the `count` real samples whose transform by `transformReal` is `bins`. */
export function inverseReal(bins: Float64Array, count: number): Float64Array {
  // The inverse is the conjugate of the transform of the conjugate, divided by N. Real samples
  // have no imaginary part.
  const points = new Float64Array(2 * count)
  for (let k = 0; 2 * k < bins.length; k++) {
    const mirrored = (count - k) % count
    const [real, imaginary] = [bins[2 * k]!, bins[2 * k + 1]!]
    points[2 * mirrored] = real
    points[2 * mirrored + 1] = imaginary
    points[2 * k] = real
    points[2 * k + 1] = -imaginary
  }
  const output = transform(points)
  return Float64Array.from({ length: count }, (_, n) => output[2 * n]! / count)
}

/** Transforms an even number of samples as half as many complex numbers: pairs of samples. */
function transformEven(samples: Float64Array): Float64Array {
  const count = samples.length
  const half = count / 2
  const mixed = transform(samples)
  const bins = new Float64Array(2 * (half + 1))
  for (let k = 0; k <= half; k++) {
    const at = k === half ? 0 : 2 * k
    const mirroredAt = k === 0 ? 0 : 2 * (half - k)
    const [real, imaginary] = [mixed[at]!, mixed[at + 1]!]
    const [mirroredReal, mirroredImaginary] = [mixed[mirroredAt]!, mixed[mirroredAt + 1]!]
    // The symmetric part of `mixed` is the transform of the even samples, the rest of the odd ones.
    const evenReal = (real + mirroredReal) / 2
    const evenImaginary = (imaginary - mirroredImaginary) / 2
    const oddReal = (imaginary + mirroredImaginary) / 2
    const oddImaginary = (mirroredReal - real) / 2
    const angle = (2 * Math.PI * k) / count
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    bins[2 * k] = evenReal + cos * oddReal + sin * oddImaginary
    bins[2 * k + 1] = evenImaginary + cos * oddImaginary - sin * oddReal
  }
  return bins
}

/** Transforms an odd number of samples as complex numbers without imaginary part. */
function transformOdd(samples: Float64Array): Float64Array {
  const count = samples.length
  const points = new Float64Array(2 * count)
  for (let n = 0; n < count; n++) points[2 * n] = samples[n]!
  return transform(points).slice(0, count + 1)
}
