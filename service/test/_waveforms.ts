import { retryOnConflict } from '../src/concurrency/retry.ts'
import type {
  WaveformPlace,
  Storage,
  NewWaveform,
  WaveformRecords,
  RecordWriteOptions,
} from '../src/storage/storage.ts'

/** A waveform, and the theme records that belong to it at a place. */
export type PlacedWaveform = {
  batch: NewWaveform
  records(place: WaveformPlace): WaveformRecords
}

/** Stores waveforms at the places that are found for them, all or none. */
export function putWaveforms(
  storage: Pick<Storage, 'waveforms'>,
  waveforms: readonly PlacedWaveform[],
  options: Pick<RecordWriteOptions, 'change'> = {},
): Promise<{ collectTime: number; replaced: number }[]> {
  return retryOnConflict({ reasons: ['rows'], what: 'waveforms' }, async () => {
    const places = await storage.waveforms.findPlaces(waveforms.map(({ batch }) => batch))
    const writes = waveforms.map(({ batch, records }, at) => {
      const place = places[at]!
      return { waveform: batch, place, records: records(place) }
    })
    await storage.waveforms.write(writes, options)
    return places.map(({ collectTime, isReplacement }) => ({
      collectTime,
      replaced: Number(isReplacement),
    }))
  })
}

export async function putWaveform(
  storage: Pick<Storage, 'waveforms'>,
  batch: NewWaveform,
  records: PlacedWaveform['records'],
): Promise<{ collectTime: number; replaced: number }> {
  const [outcome] = await putWaveforms(storage, [{ batch, records }])
  return outcome!
}
