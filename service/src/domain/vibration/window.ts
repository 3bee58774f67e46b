/**
 * The coefficients of windows that are sums of cosines, a0 - a1 cos(2πn/N) + a2 cos(4πn/N) - ...,
 * n = 0..N-1.
 *
 * Hann and Hamming after F. J. Harris, "On the Use of Windows for Harmonic Analysis with the
 * Discrete Fourier Transform", Proc. IEEE 66 (1978); flat top after G. D'Antona and A. Ferrero,
 * "Digital Signal Processing for Measurement Systems" (2006).
 */
const COEFFICIENTS = {
  rectangular: [1],
  hann: [0.5, 0.5],
  hamming: [0.54, 0.46],
  flattop: [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368],
} as const satisfies Record<string, readonly number[]>

export type WindowName = keyof typeof COEFFICIENTS

/** Returns the weights of a periodic window of `count` points. */
export function windowWeights(name: WindowName, count: number): Float64Array {
  const coefficients: readonly number[] = COEFFICIENTS[name]
  // With too few points for its cosines a window would be wrong: the weight of a single one is 0.
  if (count <= 2 * (coefficients.length - 1)) return new Float64Array(count).fill(1)
  return Float64Array.from({ length: count }, (_, n) => {
    let weight = 0
    for (const [order, coefficient] of coefficients.entries()) {
      const angle = (2 * Math.PI * ((order * n) % count)) / count
      weight += (order % 2 === 0 ? coefficient : -coefficient) * Math.cos(angle)
    }
    return weight
  })
}

/** Returns the factor by which a window reduces the amplitude of a sine: the mean of its weights. */
export function coherentGain(weights: Float64Array): number {
  return sumOf(weights) / weights.length
}

/** Returns the equivalent noise bandwidth in bins: 1 without a window, 1.5 with a Hann window. */
export function noiseBandwidth(weights: Float64Array): number {
  return (weights.length * sumOf(weights.map((weight) => weight ** 2))) / sumOf(weights) ** 2
}

function sumOf(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}
