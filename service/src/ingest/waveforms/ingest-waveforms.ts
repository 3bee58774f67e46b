import { invalid } from '../../domain/waveforms/waveform.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { show } from '../../errors/show.ts'
import type { RecordOptions } from '../ingest-parts.ts'
import { ingestVibrationTogether, type VibrationParts } from './ingest-vibration.ts'
import type { ChannelPlan } from './assign-channels.ts'
import type { FilePlan } from './read-file.ts'
import type { ReadWaveforms } from './waveform-reader.ts'

export type WaveformFile = Omit<FilePlan, 'zone'> & {
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

/**
 * Stores the waveforms of a file in one commit, or refuses the file and stores nothing.
 *
 * Takes the bytes over: those of a large file go to another thread.
 */
export async function ingestWaveforms(
  parts: VibrationParts,
  bytes: Uint8Array,
  file: WaveformFile,
  given: Pick<RecordOptions, 'change'> = {},
): Promise<StoredWaveforms> {
  const zone = file.zone ?? (await zoneOfStations(parts, file))
  const plan = { ...file, zone: zone?.name }
  return parts.reader.file(bytes, plan, (read) => storeWaveforms(parts, read, given))
}

async function storeWaveforms(
  parts: VibrationParts,
  { batches, unmapped }: ReadWaveforms,
  given: Pick<RecordOptions, 'change'>,
): Promise<StoredWaveforms> {
  const { accepted, replaced, rejected } = await ingestVibrationTogether(parts, batches, given)
  const [refused] = rejected
  if (refused !== undefined)
    throw invalid(`channel ${show(batches[refused.index]!.channel)}: ${refused.message}`)
  const samples = batches.reduce((sum, batch) => sum + batch.samples.length, 0)
  return { accepted, replaced, rejected: [], unmapped, samples }
}

/** The clock by which a file's own times are meant, where all stations have the same. */
async function zoneOfStations(
  parts: VibrationParts,
  { channels, only }: ChannelPlan,
): Promise<Zone | undefined> {
  const { stations } = await parts.catalogue()
  const zones = [...channels, ...(only === undefined ? [] : [only])].map(
    ({ station }) => stations.get(station as number)?.structure.zone,
  )
  return zones.every((zone) => zone === zones[0]) ? zones[0] : undefined
}
