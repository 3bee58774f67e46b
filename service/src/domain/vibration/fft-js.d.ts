declare module 'fft.js' {
  /** Complex numbers are interleaved: real part, imaginary part. */
  export default class FFT {
    /** `size` is a power of two from 2 on. */
    constructor(size: number)
    transform(output: Float64Array, input: Float64Array): void
    inverseTransform(output: Float64Array, input: Float64Array): void
  }
}
