import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../../errors/refused-error.ts'
import { release } from '../../concurrency/release-memory.ts'
import type { StoredWaveform, WaveformStore } from '../../storage/storage.ts'
import type { Caller } from '../security/caller.ts'
import { toInstants } from './window.ts'

/** Names a waveform by its second or its id; without either it is the newest one. */
export type WaveformChoice = { collectTime?: string | undefined; batch?: number | undefined }

/** A waveform of a station that the caller may see; checks in the order 404, 403, 404. */
export async function findWaveform(
  waveforms: WaveformStore,
  caller: Caller,
  stationId: number,
  { collectTime, batch: id }: WaveformChoice,
): Promise<StoredWaveform> {
  const { entry, structure } = caller.findStation(stationId)
  const window = toInstants({ startTime: collectTime, endTime: collectTime }, structure.zone)
  // First the permission: whether a station that the caller may not see has the waveform is secret.
  caller.permit(entry.structure, `station ${stationId}`)

  const station = entry.id
  const found =
    id !== undefined
      ? await waveforms.findById(id)
      : collectTime !== undefined
        ? await waveforms.find(station, window.from, window.to)
        : (await waveforms.list({ station, ...window, limit: 1 }))[0]
  if (found?.station === station) return found
  const which =
    id !== undefined ? ` with the id ${id}` : collectTime === undefined ? '' : ` of ${collectTime}`
  throw new RefusedError('absent', `Station ${stationId} has no vibration batch${which}.`)
}

/** Reads all samples of a waveform; rejects when the signal is aborted. */
export async function readAllSamples(
  waveforms: Pick<WaveformStore, 'readSamples'>,
  waveform: StoredWaveform,
  signal?: AbortSignal,
): Promise<Float64Array<ArrayBuffer>> {
  const samples = new Float64Array(waveform.count)
  let at = 0
  for await (const chunk of waveforms.readSamples(waveform)) {
    samples.set(chunk, at)
    at += chunk.length
    release(chunk)
    // The database returns chunks without a pause, and other requests would wait for all of them.
    await setImmediate()
    signal?.throwIfAborted()
  }
  return samples
}
