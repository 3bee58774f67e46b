import { peakSummary } from '../../domain/vibration/peak-summary.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { parseInstant } from '../../domain/time/local-time.ts'
import { countOf, show } from '../../errors/show.ts'
import { PreparedSamples } from '../waveforms/prepared-samples.ts'
import type { ReadWaveforms } from '../waveforms/waveform-body-reader.ts'
import { showTime } from './show-time.ts'

/** A line for each waveform that a dry run would store: where it goes, its begin, rate and peak. */
export function describeWaveforms({ planned }: ReadWaveforms, catalogue: Catalogue): string[] {
  return planned.map(({ channel, station: id, collectTime, sampleFreq, unit, samples }) => {
    const station = catalogue.stations.get(Number(id))
    const zone = station?.structure.zone
    const instant = zone === undefined ? undefined : parseInstant(collectTime, zone)
    const time =
      zone === undefined || instant === undefined
        ? show(collectTime)
        : `${showTime(instant, zone)} (${zone.name})`
    const name = station === undefined ? '' : ` (${station.entry.name})`
    return (
      `  channel ${show(channel)} to station ${show(id)}${name}: ` +
      `${countOf(samples.length, 'sample')} at ${sampleFreq} Hz from ${time}, peak ${peakOf(samples)} ${unit}`
    )
  })
}

function peakOf(samples: Float64Array | PreparedSamples): number {
  if (!(samples instanceof PreparedSamples)) return peakSummary(samples).pv
  const { preparation } = samples
  return 'summary' in preparation ? preparation.summary.pv : NaN
}
