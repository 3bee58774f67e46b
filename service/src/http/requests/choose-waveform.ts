import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../../errors/refused-error.ts'
import { release } from '../../concurrency/release-memory.ts'
import type { StoredWaveform, WaveformStore } from '../../storage/storage.ts'
import type { Caller } from '../security/caller.ts'
import { toInstants } from './window.ts'

/** By its second, by its number, or neither: then it is the newest. */
export type BatchChoice = { collectTime?: string | undefined; batch?: number | undefined }

/** A batch of a station that the caller may see; refuses in the order 404, 403, 404. */
export async function findBatch(
  vibration: WaveformStore,
  caller: Caller,
  stationId: number,
  { collectTime, batch: id }: BatchChoice,
): Promise<StoredWaveform> {
  const { entry, structure } = caller.findStation(stationId)
  const window = toInstants({ startTime: collectTime, endTime: collectTime }, structure.zone)
  // Whether a foreign station has the batch is not told: existence here is the station's.
  caller.permit(entry.structure, `Station ${stationId}`)

  const station = entry.id
  const found =
    id !== undefined
      ? await vibration.findById(id)
      : collectTime !== undefined
        ? await vibration.find(station, window.from, window.to)
        : (await vibration.list({ station, ...window, limit: 1 }))[0]
  if (found?.station === station) return found
  const which =
    id !== undefined ? ` with the id ${id}` : collectTime === undefined ? '' : ` of ${collectTime}`
  throw new RefusedError('absent', `Station ${stationId} has no vibration batch${which}.`)
}

/** All samples of a batch; ends when the signal is aborted. */
export async function gatherSamples(
  vibration: Pick<WaveformStore, 'readSamples'>,
  batch: StoredWaveform,
  signal?: AbortSignal,
): Promise<Float64Array<ArrayBuffer>> {
  const samples = new Float64Array(batch.count)
  let at = 0
  for await (const piece of vibration.readSamples(batch)) {
    samples.set(piece, at)
    at += piece.length
    release(piece)
    // The database answers at once: without a break others would wait for all of it.
    await setImmediate()
    signal?.throwIfAborted()
  }
  return samples
}
