import { RefusedError } from '../../errors/refused-error.ts'
import type { CsvWaveformOptions } from './csv-options.ts'
import type { WaveformStart } from './waveform-start.ts'

/** Evenly sampled values of one channel, as a file holds them; finite, and at least one. */
export type Waveform = {
  /** What the file calls the channel: network.station.location.channel, a DOF, a column's name. */
  channel: string
  /** The instant of the first sample; undefined when the file does not say. */
  start: WaveformStart | undefined
  sampleHz: number
  /** As the file says it, '' when it does not. */
  unit: string
  samples: WaveformSamples
}

export type WaveformSamples = Float64Array | Float32Array | Int32Array

export type WaveformFormat = 'miniSEED' | 'SAC' | 'UFF58' | 'CSMIP' | 'COSMOS' | 'WAV' | 'CSV'

export type WaveformOptions = {
  miniSeed?: MiniSeedOptions
  csv?: CsvWaveformOptions
}

export type MiniSeedOptions = {
  /**
   * How far a record may begin from where the samples before it lead, in sample periods, and still
   * continue them; 0.5, as libmseed has it, unless told.
   */
  gapTolerance?: number
}

export type WaveformReader = {
  name: WaveformFormat
  /** Whether a file that begins so is meant to be of this format. */
  recognises(head: Uint8Array): boolean
  /** Every waveform of the file, in its order; refuses a file that is not whole and sound. */
  read(bytes: Uint8Array, options?: WaveformOptions): Waveform[]
}

/** No structure is sampled faster; a higher rate is a damaged header. */
export const HIGHEST_SAMPLE_HZ = 10_000_000

export const invalid = (sentence: string, options?: ErrorOptions): RefusedError =>
  new RefusedError('invalid', sentence, options)

/** Gives back a rate that can be true, and refuses any other. */
export function checkRate(sampleHz: number, place: string): number {
  if (sampleHz > 0 && sampleHz <= HIGHEST_SAMPLE_HZ) return sampleHz
  throw invalid(
    `${place}: sample rate is ${sampleHz} Hz, expected more than 0 and at most ${HIGHEST_SAMPLE_HZ}`,
  )
}

/** Refuses samples that are no numbers or infinite, by the place of the first. */
export function checkSamples(samples: Float32Array | Float64Array, place: string): void {
  for (let index = 0; index < samples.length; index++) {
    if (!Number.isFinite(samples[index])) {
      throw invalid(`${place}: sample ${index + 1} is ${samples[index]}, expected a finite number`)
    }
  }
}
