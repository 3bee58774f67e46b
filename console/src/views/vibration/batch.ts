import type { WaveformBatch } from '@plumbline/client'
import { client } from '../../state/api.ts'

export type { WaveformBatch }

/** What is asked for: the days of the list, and how many batches at most. */
export type BatchFilter = { from: string | undefined; to: string | undefined; limit: number }

/** Which batch an address names; a batch that was replaced has another id, but the same time. */
export type Choice = { id: number | undefined; time: string | undefined }

export const sampleFrequency = ({ sampleFreq }: WaveformBatch): number => Number(sampleFreq)

export const durationSeconds = (batch: WaveformBatch): number =>
  batch.count / sampleFrequency(batch)

/** The trigger as the list shows it, `2009-05-18 03:39:38.000`. */
export const triggerText = ({ trigger }: WaveformBatch): string =>
  trigger.replace('T', ' ').replace('Z', '')

/** Batches of a station, newest first. */
export const listBatches = (
  stationId: number,
  { from, to, limit }: BatchFilter,
  signal: AbortSignal,
): Promise<WaveformBatch[]> =>
  client.listVibrationBatches(
    {
      stationId,
      ...(from !== undefined && { startTime: `${from} 00:00:00` }),
      ...(to !== undefined && { endTime: `${to} 23:59:59` }),
      limit,
    },
    { signal },
  )

/** The batches of one second, of which there are two where the clock was set back. */
export const batchesAt = (
  stationId: number,
  time: string,
  signal: AbortSignal,
): Promise<WaveformBatch[]> =>
  client.listVibrationBatches({ stationId, startTime: time, endTime: time, limit: 10 }, { signal })

/** The batch that an address names, or the newest one. */
export function choose(
  batches: readonly WaveformBatch[],
  { id, time }: Choice,
): WaveformBatch | undefined {
  if (time === undefined) return batches[0]
  const ofTime = batches.filter(({ collectTime }) => collectTime === time)
  return ofTime.find((batch) => batch.id === id) ?? ofTime[0]
}

/** Whether another batch began in the same local second before: the clock was set back. */
export const hasEarlierTwin = (batch: WaveformBatch, all: readonly WaveformBatch[]): boolean =>
  all.some(
    (other) =>
      other.id !== batch.id &&
      other.collectTime === batch.collectTime &&
      other.trigger < batch.trigger,
  )
