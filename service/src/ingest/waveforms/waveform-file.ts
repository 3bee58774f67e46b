import type { Zone } from '../../domain/time/local-time.ts'
import type { FilePlan } from './read-file.ts'

/** How a file of waveforms is stored, with what the file does not say itself. */
export type WaveformFile = Omit<FilePlan, 'zone'> & {
  /** The zone of times without an offset; left out: that of the stations. */
  zone?: Zone | undefined
}
