import { client } from '../../state/api.ts'
import type { WaveformBatch } from './batch.ts'
import { powerBelow, type Window } from './options.ts'

/** Densities of batches in the order of their time, all with the same lines. */
export type Waterfall = {
  unit: string
  step: number
  spectra: { batch: WaveformBatch; density: number[] }[]
}

type Asked = {
  stationId: number
  batch: WaveformBatch
  limit: number
  window: Window
  overlap: number
  signal: AbortSignal
  onprogress(done: number, all: number): void
}

/** Requests that are under way at once; the service computes one after the other. */
const AT_ONCE = 3
const MOST_SEGMENT = 4096
const LEAST_SEGMENT = 8

/** The spectra of a batch and of those before it that have its unit and its sampling frequency. */
export async function loadWaterfall(asked: Asked): Promise<Waterfall> {
  const { stationId, batch, limit, signal, window, overlap, onprogress } = asked
  const listed = await client.listVibrationBatches(
    { stationId, endTime: batch.collectTime, limit },
    { signal },
  )
  const alike = listed
    .filter(({ unit, sampleFreq }) => unit === batch.unit && sampleFreq === batch.sampleFreq)
    .toReversed()
  const least = Math.min(...alike.map(({ count }) => count))
  const segment = Math.max(LEAST_SEGMENT, Math.min(MOST_SEGMENT, powerBelow(least / 4)))
  const result: Waterfall = { unit: '', step: 1, spectra: [] }
  let next = 0
  let done = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < alike.length; at = next++) {
      const one = alike[at]!
      const { density, unit, step } = await client.getVibrationPsd(
        { stationId, batch: one.id, window, segment, overlap },
        { signal },
      )
      result.unit = unit
      result.step = step
      result.spectra[at] = { batch: one, density }
      onprogress(++done, alike.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return result
}
