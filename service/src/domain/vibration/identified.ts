import { interpolate } from './peaks.ts'
import { spectrum } from './spectrum.ts'

/** Where a frequency is looked for, in Hz, both ends inclusive. */
export type FrequencyBand = {
  low: number
  high: number
  /** How many times the median amplitude of the band its peak must reach to be one. */
  ratio: number
}

/**
 * The frequency of the highest peak of each band; undefined where nothing stands out of it.
 *
 * What only rises toward an end of the band belongs to something outside of it. Spectra are under a
 * Hann window, and frequencies lie between their lines.
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
    let line = first
    for (let k = first; k <= last; k++) if (amplitude[k]! > amplitude[line]!) line = k
    const height = amplitude[line]!
    const isPeak = height > amplitude[line - 1]! && height >= amplitude[line + 1]!
    const middle = median(amplitude.subarray(first, last + 1))
    if (!isPeak || height < ratio * middle) return undefined
    return interpolate(amplitude, line, stepHz).frequency
  })
}

function median(values: Float64Array): number {
  const sorted = values.toSorted()
  return sorted[(sorted.length - 1) >> 1]!
}
