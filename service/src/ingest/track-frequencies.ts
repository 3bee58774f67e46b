import { analyse } from '../analysis/analyse.ts'
import type { CatalogueStation } from '../domain/catalogue.ts'
import { roundToPrecision } from '../domain/rounding.ts'
import type { VibrationBatch } from '../storage/storage.ts'

/** Values of a station in the order of its items. */
export type StationValues = { station: CatalogueStation; values: (number | undefined)[] }

/**
 * The frequencies of a batch for the stations that track them; one that finds no peak in its band
 * is absent.
 */
export async function trackFrequencies(
  { trackers }: CatalogueStation,
  { samples, sampleFreq }: Pick<VibrationBatch, 'samples' | 'sampleFreq'>,
): Promise<StationValues[]> {
  const peaks = trackers.flatMap((station) =>
    (station.entry.fromWaveform?.peaks ?? []).map((peak) => ({ station, ...peak })),
  )
  if (peaks.length === 0) return []
  const given = samples instanceof Float64Array ? samples.slice() : samples
  const { frequencies } = await analyse('frequencies', given, Number(sampleFreq), {
    bands: peaks.map(({ low, high, ratio }) => ({ low, high, ratio })),
  })
  return trackers.map((station) => ({
    station,
    values: station.factor.items.map(({ key, precision }) => {
      const at = peaks.findIndex((peak) => peak.station === station && peak.item === key)
      const frequency = frequencies[at]
      return frequency === undefined ? undefined : roundToPrecision(frequency, precision)
    }),
  }))
}
