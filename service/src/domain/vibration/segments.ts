import { applyWindow, removeMean } from './spectrum.ts'
import type { WindowName } from './window.ts'

/** How a waveform is divided into segments of equal length that overlap. */
export type Segmentation = {
  window: WindowName
  /** Samples of a segment; a shorter waveform is one segment. */
  segment: number
  /** The fraction of a segment that the next one shares: from 0 to less than 1. */
  overlap: number
}

/**
 * Yields the segments of a waveform, each minus its own mean and multiplied by the window.
 *
 * Samples at the end that do not fill a segment are left out.
 */
export function* segmentsOf(
  samples: Float64Array,
  { window, segment, overlap }: Segmentation,
): Generator<{ first: number; samples: Float64Array }> {
  const length = Math.min(segment, samples.length)
  const step = segmentStep(length, overlap)
  for (let first = 0; first + length <= samples.length; first += step) {
    const centred = removeMean(samples.subarray(first, first + length))
    yield { first, samples: applyWindow(centred, window) }
  }
}

/** Returns the distance between the starts of two segments, in samples. */
export const segmentStep = (length: number, overlap: number): number =>
  Math.max(1, Math.round(length * (1 - overlap)))

/** Returns the default length of segments: a quarter of the waveform, as a power of two. */
export function defaultSegment(count: number): number {
  return count < 64 ? count : 2 ** Math.floor(Math.log2(count / 4))
}
