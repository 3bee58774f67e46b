import { segmentsOf, type Segmentation } from './segments.ts'
import { amplitudesOf } from './spectrum.ts'

/** The amplitude spectra of the segments of a waveform; each starts at 0 Hz, lines `stepHz` apart. */
export type Spectrogram = {
  /** The middle of each segment, in seconds after the first sample. */
  times: Float64Array
  /** The number of lines of one segment. */
  lines: number
  stepHz: number
  /** The amplitudes of the first segment, then of the second and so on, in the waveform's unit. */
  amplitudes: Float64Array
}

/** Returns the single-sided amplitude spectra of the segments of a waveform. */
export function spectrogram(
  samples: Float64Array,
  sampleHz: number,
  segmentation: Segmentation,
): Spectrogram {
  const length = Math.min(segmentation.segment, samples.length)
  const lines = Math.floor(length / 2) + 1
  const times: number[] = []
  const rows: Float64Array[] = []
  for (const { first, samples: segment } of segmentsOf(samples, segmentation)) {
    times.push((first + (length - 1) / 2) / sampleHz)
    rows.push(amplitudesOf(segment))
  }
  const amplitudes = new Float64Array(lines * rows.length)
  for (const [row, values] of rows.entries()) amplitudes.set(values, row * lines)
  return { times: Float64Array.from(times), lines, stepHz: sampleHz / length, amplitudes }
}
