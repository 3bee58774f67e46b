import { router } from '../../state/router.svelte.ts'

export const WINDOWS = ['hann', 'hamming', 'flattop', 'rectangular'] as const
export type Window = (typeof WINDOWS)[number]

const OVERLAPS = ['0', '0.25', '0.5', '0.75'] as const
const LEAST_SEGMENT = 8
const MOST_SEGMENT = 1_048_576

/** How a spectrum is computed, as the address has it. */
export type Segmentation = { window: Window; segment: number; overlap: number }

type Defaults = { segment: number; overlap: number }

export const readWindow = (): Window =>
  WINDOWS.find((one) => one === router.query['window']) ?? 'hann'

export function readSegmentation(defaults: Defaults): Segmentation {
  const { query } = router
  const segment = Number(query['segment'])
  const isWhole = Number.isInteger(segment) && segment >= LEAST_SEGMENT && segment <= MOST_SEGMENT
  const overlap = OVERLAPS.find((one) => one === query['overlap'])
  return {
    window: readWindow(),
    segment: isWhole ? segment : defaults.segment,
    overlap: overlap === undefined ? defaults.overlap : Number(overlap),
  }
}

export const overlaps = (): readonly number[] => OVERLAPS.map(Number)

/** The power of two that is not above a number. */
export const powerBelow = (number: number): number =>
  2 ** Math.floor(Math.log2(Math.max(1, number)))

/** Powers of two that segments may have, up to the samples of a waveform. */
export function segmentsFor(count: number): number[] {
  const most = Math.min(MOST_SEGMENT, powerBelow(count))
  const all: number[] = []
  for (let segment = most; segment >= LEAST_SEGMENT && all.length < 14; segment /= 2)
    all.push(segment)
  return all
}

/** Whether values are shown as decibels; spectra of structures span many decades. */
export const isDecibel = (fallback: boolean): boolean =>
  router.query['scale'] === undefined ? fallback : router.query['scale'] === 'db'
