import { chunkSamples, type SampleChunks } from '../../domain/vibration/sample-chunks.ts'
import { peakSummary, type PeakSummary } from '../../domain/vibration/peak-summary.ts'

/** What a waveform is stored from, or the place of its first sample that is no finite number. */
export type Preparation = { cut: SampleChunks; summary: PeakSummary } | { infinite: number }

/** Samples that were prepared beside the main thread, in place of their list. */
export class PreparedSamples {
  readonly preparation: Preparation
  constructor(preparation: Preparation) {
    this.preparation = preparation
  }

  get length(): number {
    return 'cut' in this.preparation ? this.preparation.cut.length : 0
  }
}

/** Prepares at least one sample. */
export function prepareSamples(samples: Float64Array): Preparation {
  const infinite = findInfinite(samples)
  if (infinite !== undefined) return { infinite }
  return { cut: chunkSamples(samples), summary: peakSummary(samples) }
}

/** The memory that goes to the main thread with what was prepared. */
export const memoryOf = (preparation: Preparation): ArrayBuffer[] =>
  'cut' in preparation ? [preparation.cut.bytes.buffer] : []

/** A loop: a million samples are looked through in a millisecond, and nobody waits. */
export function findInfinite(samples: ArrayLike<unknown>): number | undefined {
  for (let at = 0; at < samples.length; at++) if (!Number.isFinite(samples[at])) return at
  return undefined
}
