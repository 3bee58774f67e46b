import { segmentsOf, type Segmentation } from './segments.ts'
import { amplitudeOf } from './spectrum.ts'

/** Amplitudes of segment after segment: `lines` of each, from 0 Hz on, `stepHz` apart. */
export type Spectrogram = {
  /** The middle of each segment, in seconds after the first sample. */
  times: Float64Array
  lines: number
  stepHz: number
  /** `lines` amplitudes of the first segment, then of the second: in the waveform's unit. */
  amplitudes: Float64Array
}

/** The single-sided amplitude spectra of the segments of a waveform. */
export function spectrogram(
  samples: Float64Array,
  sampleHz: number,
  segmentation: Segmentation,
): Spectrogram {
  const length = Math.min(segmentation.segment, samples.length)
  const lines = Math.floor(length / 2) + 1
  const times: number[] = []
  const rows: Float64Array[] = []
  for (const { first, weighed } of segmentsOf(samples, segmentation)) {
    times.push((first + (length - 1) / 2) / sampleHz)
    rows.push(amplitudeOf(weighed))
  }
  const amplitudes = new Float64Array(lines * rows.length)
  for (const [row, values] of rows.entries()) amplitudes.set(values, row * lines)
  return { times: Float64Array.from(times), lines, stepHz: sampleHz / length, amplitudes }
}
