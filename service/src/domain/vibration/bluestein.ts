import FFT from 'fft.js'

/**
 * The discrete Fourier transform of any number of points, by Bluestein's algorithm: a
 * convolution with a chirp, done with transforms whose length is a power of two.
 *
 * Complex numbers are interleaved: real part, imaginary part.
 */
export function bluestein(points: Float64Array): Float64Array {
  const count = points.length / 2
  const size = 2 ** Math.ceil(Math.log2(2 * count - 1))
  const fft = new FFT(size)
  const chirp = chirpOf(count)

  const filter = new Float64Array(2 * size)
  filter.set(chirp)
  for (let n = 1; n < count; n++) {
    filter[2 * (size - n)] = chirp[2 * n]!
    filter[2 * (size - n) + 1] = chirp[2 * n + 1]!
  }
  const filtered = new Float64Array(2 * size)
  fft.transform(filtered, filter)

  // The buffers are used again from here on: a million points need 16 MB for each.
  const chirped = filter.fill(0)
  multiplyConjugate(chirped, points, chirp)
  const transformed = new Float64Array(2 * size)
  fft.transform(transformed, chirped)
  multiply(transformed, filtered)
  fft.inverseTransform(chirped, transformed)

  const output = new Float64Array(2 * count)
  multiplyConjugate(output, chirped, chirp)
  return output
}

/** The chirp e^(iπn²/N) for n = 0..N-1. */
function chirpOf(count: number): Float64Array {
  const chirp = new Float64Array(2 * count)
  // n² mod 2N is summed up from odd numbers: it stays a small integer, and the angle exact.
  let square = 0
  for (let n = 0; n < count; n++) {
    const angle = (Math.PI * square) / count
    chirp[2 * n] = Math.cos(angle)
    chirp[2 * n + 1] = Math.sin(angle)
    square += 2 * n + 1
    if (square >= 2 * count) square -= 2 * count
  }
  return chirp
}

/** Puts `a` times the conjugate of `b` into the head of `output`, for as many points as `b` has. */
function multiplyConjugate(output: Float64Array, a: Float64Array, b: Float64Array): void {
  for (let at = 0; at < b.length; at += 2) {
    const real = a[at]!
    const imaginary = a[at + 1]!
    output[at] = real * b[at]! + imaginary * b[at + 1]!
    output[at + 1] = imaginary * b[at]! - real * b[at + 1]!
  }
}

/** Multiplies `a` by `b` in place. */
function multiply(a: Float64Array, b: Float64Array): void {
  for (let at = 0; at < a.length; at += 2) {
    const real = a[at]!
    const imaginary = a[at + 1]!
    a[at] = real * b[at]! - imaginary * b[at + 1]!
    a[at + 1] = real * b[at + 1]! + imaginary * b[at]!
  }
}
