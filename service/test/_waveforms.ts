import { retryOnConflict } from '../src/concurrency/retry.ts'
import type {
  BatchPlace,
  Storage,
  VibrationBatch,
  VibrationRecords,
  WriteOptions,
} from '../src/storage/storage.ts'

/** A waveform, and the theme records that belong to it at a place. */
export type PlacedWaveform = {
  batch: VibrationBatch
  records(place: BatchPlace): VibrationRecords
}

/** Stores waveforms at the places that are found for them, all or none. */
export function putWaveforms(
  { vibration }: Pick<Storage, 'vibration'>,
  waveforms: readonly PlacedWaveform[],
  options: Pick<WriteOptions, 'change'> = {},
): Promise<{ collectTime: number; replaced: number }[]> {
  return retryOnConflict({ reasons: ['rows'], what: 'waveforms' }, async () => {
    const places = await vibration.findPlaces(waveforms.map(({ batch }) => batch))
    const writes = waveforms.map(({ batch, records }, at) => {
      const place = places[at]!
      return { batch, place, records: records(place) }
    })
    await vibration.write(writes, options)
    return places.map(({ collectTime, isAgain }) => ({ collectTime, replaced: Number(isAgain) }))
  })
}

export async function putWaveform(
  storage: Pick<Storage, 'vibration'>,
  batch: VibrationBatch,
  records: PlacedWaveform['records'],
): Promise<{ collectTime: number; replaced: number }> {
  const [outcome] = await putWaveforms(storage, [{ batch, records }])
  return outcome!
}
