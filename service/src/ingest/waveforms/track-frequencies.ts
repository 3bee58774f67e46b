import { Analyser, isLong, type Waveform } from '../../analysis/analyser.ts'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import { inTurn } from '../../concurrency/serial-queue.ts'
import { roundToPrecision } from '../../domain/derivation/rounding.ts'
import type { IngestParts } from '../ingest-parts.ts'
import type { NewWaveform } from '../../storage/storage.ts'

/** Not that of those who read: however much they ask for, records and alarms do not wait for it. */
const analyser = new Analyser('tracking')

/** Values of a station in the order of its items. */
export type StationValues = { station: CatalogueStation; values: (number | undefined)[] }

/**
 * The frequencies of a batch for the stations that track them; one that finds no peak in its band
 * is absent, and so are all of a batch that is too long to be analysed.
 */
export async function trackFrequencies(
  { analysisSamples }: Pick<IngestParts, 'analysisSamples'>,
  { trackers }: CatalogueStation,
  { samples, sampleFreq }: Pick<NewWaveform, 'samples' | 'sampleFreq'>,
): Promise<StationValues[]> {
  const peaks = trackers.flatMap((station) =>
    (station.entry.fromWaveform?.peaks ?? []).map((peak) => ({ station, ...peak })),
  )
  if (peaks.length === 0) return []
  const waveform: Waveform = {
    length: samples.length,
    sampleHz: Number(sampleFreq),
    read: async () => (samples instanceof Float64Array ? samples.slice() : samples),
  }
  const bands = peaks.map(({ low, high, ratio }) => ({ low, high, ratio }))
  const identify = () => analyser.analyse('frequencies', waveform, { bands })
  const isTooLong = samples.length > analysisSamples
  const { frequencies } = isTooLong
    ? { frequencies: [] }
    : await (isLong(samples.length) ? inTurn(analyser, identify) : identify())
  return trackers.map((station) => ({
    station,
    values: station.factor.items.map(({ key, precision }) => {
      const at = peaks.findIndex((peak) => peak.station === station && peak.item === key)
      const frequency = frequencies[at]
      return frequency === undefined ? undefined : roundToPrecision(frequency, precision)
    }),
  }))
}
