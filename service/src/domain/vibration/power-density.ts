import { transformReal } from './fourier.ts'
import { segmentsOf, type Segmentation } from './segments.ts'
import { noiseBandwidth, windowOf } from './window.ts'

/** `density[k]` at k times `stepHz`, in the waveform's unit squared by Hz. */
export type PowerDensity = {
  density: Float64Array
  stepHz: number
  /** How many segments were averaged. */
  segments: number
  /** The width in Hz over which a sine's power spreads. */
  bandwidthHz: number
}

/**
 * The one-sided power spectral density, averaged over segments (P. D. Welch, IEEE Trans. Audio
 * Electroacoust. 15, 1967).
 *
 * The sum of density times `stepHz` is the mean square of the segments about their means, weighed
 * by the square of the window (Parseval): of one segment without a window, the variance.
 */
export function powerDensity(
  samples: Float64Array,
  sampleHz: number,
  segmentation: Segmentation,
): PowerDensity {
  const length = Math.min(segmentation.segment, samples.length)
  const weights = windowOf(segmentation.window, length)
  const bandwidth = noiseBandwidth(weights)
  // `weigh` takes the gain out: what is left of the sum of squared weights is N times the bandwidth.
  const scale = 1 / (sampleHz * length * bandwidth)
  const density = new Float64Array(Math.floor(length / 2) + 1)
  let segments = 0
  for (const { weighed } of segmentsOf(samples, segmentation)) {
    const bins = transformReal(weighed)
    for (let k = 0; k < density.length; k++) {
      const sides = k === 0 || 2 * k === length ? 1 : 2
      density[k]! += sides * scale * (bins[2 * k]! ** 2 + bins[2 * k + 1]! ** 2)
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
