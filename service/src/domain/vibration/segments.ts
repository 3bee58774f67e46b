import { removeMean, weigh } from './spectrum.ts'
import type { WindowName } from './window.ts'

/** How a waveform is cut: into pieces of so many points, each sharing a part with the one before. */
export type Segmentation = {
  window: WindowName
  /** Points of a segment; a shorter waveform is one segment. */
  segment: number
  /** The part of a segment that the next one has too, from 0 up to, not including, 1. */
  overlap: number
}

/**
 * The segments of a waveform, each about its own mean and under its window.
 *
 * The last samples are left out where they fill no segment.
 */
export function* segmentsOf(
  samples: Float64Array,
  { window, segment, overlap }: Segmentation,
): Generator<{ first: number; weighed: Float64Array }> {
  const length = Math.min(segment, samples.length)
  const step = stepOf(length, overlap)
  for (let first = 0; first + length <= samples.length; first += step) {
    const centred = removeMean(samples.subarray(first, first + length))
    yield { first, weighed: weigh(centred, window) }
  }
}

export const stepOf = (length: number, overlap: number): number =>
  Math.max(1, Math.round(length * (1 - overlap)))

/** A quarter of the waveform, as a power of two: so many points when nobody says how many. */
export function usualSegment(count: number): number {
  return count < 64 ? count : 2 ** Math.floor(Math.log2(count / 4))
}
