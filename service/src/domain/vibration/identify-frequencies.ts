import { interpolate, largestOf } from './peaks.ts'
import { spectrum } from './spectrum.ts'

/** A frequency band in Hz, both ends inclusive, in which a peak is searched. */
export type FrequencyBand = {
  low: number
  high: number
  /** A peak must reach this multiple of the median amplitude of the band. */
  ratio: number
}

/**
 * Returns the frequency in Hz of the highest peak of each band, undefined where no line stands out.
 *
 * An amplitude that only rises towards an end of the band is no peak: it belongs to a peak outside.
 * The spectrum has a Hann window; frequencies are interpolated between its lines.
 */
export function identifyFrequencies(
  samples: Float64Array,
  sampleHz: number,
  bands: readonly FrequencyBand[],
): (number | undefined)[] {
  const { amplitude } = spectrum(samples, sampleHz, 'hann')
  const stepHz = sampleHz / samples.length
  return bands.map(({ low, high, ratio }) => {
    const first = Math.max(1, Math.ceil(low / stepHz - 1e-9))
    const last = Math.min(amplitude.length - 2, Math.floor(high / stepHz + 1e-9))
    if (last < first) return undefined
    const inBand = amplitude.subarray(first, last + 1)
    const height = largestOf(inBand)
    const line = first + inBand.indexOf(height)
    const [before = 0, , after = 0] = amplitude.subarray(line - 1, line + 2)
    const isPeak = height > before && height >= after
    if (!isPeak || height < ratio * median(inBand)) return undefined
    return interpolate(amplitude, line, stepHz).frequency
  })
}

function median(values: Float64Array): number {
  const [middle = 0] = values.toSorted().subarray((values.length - 1) >> 1)
  return middle
}
