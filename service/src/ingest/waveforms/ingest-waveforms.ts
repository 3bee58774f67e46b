import { invalid } from '../../domain/waveforms/waveform.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { show } from '../../errors/show.ts'
import type { Door, IngestOptions } from '../records/door.ts'
import { ingestVibrationTogether } from './ingest-vibration.ts'
import type { ChannelPlan, PlannedBatch } from './assign-channels.ts'
import { isLarge, readLargeFile, whenLargeMay, type PreparedBatch } from './large-bodies.ts'
import { readFile, type FilePlan } from './read-file.ts'

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
  door: Door,
  bytes: Uint8Array,
  file: WaveformFile,
  given: Pick<IngestOptions, 'change'> = {},
): Promise<StoredWaveforms> {
  const zone = file.zone ?? (await zoneOfStations(door, file))
  const plan = { ...file, zone: zone?.name }
  const store = (read: ReadWaveforms) => storeWaveforms(door, read, given)
  return isLarge(bytes)
    ? whenLargeMay(async () => store(await readLargeFile(bytes, plan)))
    : store(readFile(bytes, plan))
}

type ReadWaveforms = { batches: (PlannedBatch | PreparedBatch)[]; unmapped: string[] }

async function storeWaveforms(
  door: Door,
  { batches, unmapped }: ReadWaveforms,
  given: Pick<IngestOptions, 'change'>,
): Promise<StoredWaveforms> {
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
