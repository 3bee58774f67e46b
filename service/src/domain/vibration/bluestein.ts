import FFT from 'fft.js'

/**
 * Returns the discrete Fourier transform of any number of points, by Bluestein's algorithm: a
 * convolution with a chirp, computed with transforms whose length is a power of two.
 *
 * Complex numbers are interleaved: real part, imaginary part.
 */
export function bluestein(points: Float64Array): Float64Array {
  const count = points.length / 2
  const size = 2 ** Math.ceil(Math.log2(2 * count - 1))
  const fft = new FFT(size)

  const { chirp, filter } = makeChirp(count, size)
  const filtered = new Float64Array(2 * size)
  fft.transform(filtered, filter)

  // The buffers are reused from here on: each takes 16 MB for a million samples.
  const chirped = filter.fill(0)
  multiply(chirped, points, chirp, -1)
  const transformed = new Float64Array(2 * size)
  fft.transform(transformed, chirped)
  multiply(transformed, transformed, filtered, 1)
  fft.inverseTransform(chirped, transformed)

  const output = new Float64Array(2 * count)
  multiply(output, chirped, chirp, -1)
  return output
}

/** The chirp e^(iπn²/N) for n = 0..N-1, and the same from -(N-1) to N-1 as a period of `size`. */
function makeChirp(count: number, size: number): { chirp: Float64Array; filter: Float64Array } {
  const chirp = new Float64Array(2 * count)
  const filter = new Float64Array(2 * size)
  // n² mod 2N is summed from odd numbers: it stays a small integer, and the angle exact.
  let square = 0
  for (let n = 0; n < count; n++) {
    const angle = (Math.PI * square) / count
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    const mirrored = (size - n) % size
    chirp[2 * n] = cos
    chirp[2 * n + 1] = sin
    filter[2 * n] = cos
    filter[2 * n + 1] = sin
    filter[2 * mirrored] = cos
    filter[2 * mirrored + 1] = sin
    square += 2 * n + 1
    if (square >= 2 * count) square -= 2 * count
  }
  return { chirp, filter }
}

/**
 * Writes the products of `a` and `b` to `output`, for each point of `b`.
 *
 * With sign -1 it multiplies by the conjugate of `b`. `output` may be `a`.
 */
function multiply(output: Float64Array, a: Float64Array, b: Float64Array, sign: 1 | -1): void {
  for (let at = 0; at < b.length; at += 2) {
    const realA = a[at]!
    const imaginaryA = a[at + 1]!
    const realB = b[at]!
    const imaginaryB = sign * b[at + 1]!
    output[at] = realA * realB - imaginaryA * imaginaryB
    output[at + 1] = realA * imaginaryB + imaginaryA * realB
  }
}
