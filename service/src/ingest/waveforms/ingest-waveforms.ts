import { readWaveforms } from '../../domain/waveforms/read-waveforms.ts'
import {
  invalid,
  type WaveformFormat,
  type WaveformOptions,
} from '../../domain/waveforms/waveform.ts'
import type { Zone } from '../../domain/local-time.ts'
import type { Door, IngestOptions } from '../door.ts'
import { show } from '../report.ts'
import { ingestVibrationTogether } from '../vibration.ts'
import { assignChannels, type ChannelPlan } from './assign-channels.ts'

export type WaveformFile = ChannelPlan & {
  /** Left out: the one that its first bytes are of. */
  format?: WaveformFormat | undefined
  options: WaveformOptions
  /** Of times without an offset; left out: the one of the stations. */
  zone?: Zone | undefined
}

/** What became of a file: all of its waveforms that go to a station are stored. */
export type StoredWaveforms = {
  accepted: number
  replaced: number
  rejected: []
  /** Channels that go nowhere. */
  unmapped: string[]
  samples: number
}

/** Stores the waveforms of a file in one commit, or refuses the file and stores nothing. */
export async function ingestWaveforms(
  door: Door,
  bytes: Uint8Array,
  file: WaveformFile,
  given: Pick<IngestOptions, 'change'> = {},
): Promise<StoredWaveforms> {
  const { format, options, zone = await zoneOfStations(door, file) } = file
  const waveforms = readWaveforms(bytes, {
    ...withClock(options, zone),
    ...(format === undefined ? {} : { format }),
  })
  const { batches, unmapped } = assignChannels(waveforms, file)
  const { accepted, replaced, rejected } = await ingestVibrationTogether(door, batches, given)
  const [refused] = rejected
  if (refused !== undefined)
    throw invalid(`channel ${show(batches[refused.index]!.channel)}: ${refused.message}`)
  const samples = batches.reduce((sum, batch) => sum + batch.samples.length, 0)
  return { accepted, replaced, rejected: [], unmapped, samples }
}

/** The clock by which a file's own times are meant, where all stations have the same. */
async function zoneOfStations(
  door: Door,
  { channels, only }: ChannelPlan,
): Promise<Zone | undefined> {
  const { stations } = await door.catalogue()
  const zones = [...channels, ...(only === undefined ? [] : [only])].map(
    ({ station }) => stations.get(station as number)?.structure.zone,
  )
  return zones.every((zone) => zone === zones[0]) ? zones[0] : undefined
}

function withClock(options: WaveformOptions, zone: Zone | undefined): WaveformOptions {
  const { csv } = options
  if (csv?.time === undefined || zone === undefined) return options
  const time = { ...csv.time, toInstant: (local: string) => zone.toInstant(local) }
  return { ...options, csv: { ...csv, time } }
}
