import { RefusedError } from '../../errors/refused-error.ts'
import type { CsvWaveformOptions } from './csv-options.ts'
import type { WaveformStart } from './waveform-start.ts'

/** At least one evenly spaced, finite sample of one channel of a file. */
export type Waveform = {
  /** The name of the channel in the file: network.station.location.channel, a DOF, a column. */
  channel: string
  /** The instant of the first sample; undefined when the file has none. */
  start: WaveformStart | undefined
  sampleHz: number
  /** The unit as written in the file, '' when it has none. */
  unit: string
  samples: WaveformSamples
}

export type WaveformSamples = Float64Array | Float32Array | Int32Array

export type WaveformOptions = {
  miniSeed?: MiniSeedOptions
  csv?: CsvWaveformOptions
}

type MiniSeedOptions = {
  /**
   * The largest difference between the start of a record and the end of the samples before it, in
   * sample periods, with which it continues them. The default is that of libmseed, 0.5.
   */
  gapTolerance?: number
}

export type WaveformFormatReader = {
  /** Whether a file that begins with `head` has this format. */
  recognises(head: Uint8Array): boolean
  /** Returns all waveforms in the order of the file; refuses a truncated or damaged file. */
  read(bytes: Uint8Array, options?: WaveformOptions): Waveform[]
}

/** The highest accepted sample rate: a higher one comes from a damaged header. */
export const HIGHEST_SAMPLE_HZ = 10_000_000

/** Returns the error of a file that is refused. */
export const invalid = (sentence: string, options?: ErrorOptions): RefusedError =>
  new RefusedError('invalid', sentence, options)

/** Returns a plausible sample rate, and refuses any other. */
export function checkRate(sampleHz: number, place: string): number {
  if (sampleHz > 0 && sampleHz <= HIGHEST_SAMPLE_HZ) return sampleHz
  throw invalid(
    `${place}: sample rate is ${sampleHz} Hz, expected more than 0 and at most ${HIGHEST_SAMPLE_HZ}`,
  )
}

/** Refuses samples that are NaN or infinite; the error names the first one. */
export function checkSamples(samples: Float32Array | Float64Array, place: string): void {
  for (let index = 0; index < samples.length; index++) {
    if (!Number.isFinite(samples[index])) {
      throw invalid(`${place}: sample ${index + 1} is ${samples[index]}, expected a finite number`)
    }
  }
}
