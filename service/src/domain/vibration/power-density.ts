import { binPowers, transformReal } from './fourier.ts'
import { segmentsOf, type Segmentation } from './segments.ts'
import { noiseBandwidth, windowWeights } from './window.ts'

/** `density[k]` is that at k times `stepHz`, in the waveform's unit squared per Hz. */
export type PowerDensity = {
  density: Float64Array
  stepHz: number
  /** The number of segments averaged. */
  segments: number
  /** The equivalent noise bandwidth in Hz: the power of a sine is spread over it. */
  bandwidthHz: number
}

/**
 * Returns the one-sided power spectral density, averaged over segments (P. D. Welch, IEEE Trans. Audio
 * Electroacoust. 15, 1967).
 *
 * The sum of density times `stepHz` is the mean square of the segments about their means, weighted
 * by the square of the window (Parseval). Of one segment without a window it is the variance.
 */
export function powerDensity(
  samples: Float64Array,
  sampleHz: number,
  segmentation: Segmentation,
): PowerDensity {
  const length = Math.min(segmentation.segment, samples.length)
  const weights = windowWeights(segmentation.window, length)
  const bandwidth = noiseBandwidth(weights)
  // `applyWindow` removes the gain: the sum of squared weights becomes N times the bandwidth.
  const scale = 1 / (sampleHz * length * bandwidth)
  const density = new Float64Array(Math.floor(length / 2) + 1)
  let segments = 0
  for (const { samples: segment } of segmentsOf(samples, segmentation)) {
    const powers = binPowers(transformReal(segment))
    for (let k = 0; k < powers.length; k++) {
      const sides = k === 0 || 2 * k === length ? 1 : 2
      density[k]! += sides * scale * powers[k]!
    }
    segments++
  }
  return {
    density: density.map((sum) => sum / segments),
    stepHz: sampleHz / length,
    segments,
    bandwidthHz: (bandwidth * sampleHz) / length,
  }
}
