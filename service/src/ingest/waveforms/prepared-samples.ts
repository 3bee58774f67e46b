import { chunkSamples, type SampleChunks } from '../../domain/vibration/sample-chunks.ts'
import { peakSummary, type PeakSummary } from '../../domain/vibration/peak-summary.ts'

/** The stored form of samples, or the index of the first sample that is not finite. */
export type SamplePreparation =
  { chunks: SampleChunks; summary: PeakSummary } | { infinite: number }

/** Samples that a thread has prepared, in place of their list. */
export class PreparedSamples {
  readonly preparation: SamplePreparation
  constructor(preparation: SamplePreparation) {
    this.preparation = preparation
  }

  get length(): number {
    return 'chunks' in this.preparation ? this.preparation.chunks.length : 0
  }
}

/** Prepares at least one sample. */
export function prepareSamples(samples: Float64Array): SamplePreparation {
  const infinite = findInfinite(samples)
  if (infinite !== undefined) return { infinite }
  return { chunks: chunkSamples(samples), summary: peakSummary(samples) }
}

/** The memory of prepared samples that is moved to the main thread. */
export const memoryOf = (preparation: SamplePreparation): ArrayBuffer[] =>
  'chunks' in preparation ? [preparation.chunks.bytes.buffer] : []

/** The index of the first sample that is not finite; a million samples take a millisecond. */
export function findInfinite(samples: ArrayLike<unknown>): number | undefined {
  for (let at = 0; at < samples.length; at++) if (!Number.isFinite(samples[at])) return at
  return undefined
}
