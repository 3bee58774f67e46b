import { invalid } from '../../domain/waveforms/waveform.ts'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { show } from '../../errors/show.ts'
import type { RecordOptions } from '../records/record-options.ts'
import { ingestVibrationTogether, type VibrationParts } from './ingest-vibration.ts'
import type { ChannelPlan } from './assign-channels.ts'
import type { ReadWaveforms } from './waveform-body-reader.ts'
import { unitOfStation } from './station-unit.ts'
import type { WaveformFile } from './waveform-file.ts'

/** The report of a stored file: all of its waveforms that have a station are stored. */
export type StoredWaveforms = {
  accepted: number
  replaced: number
  rejected: []
  /** The channels without a station. */
  unmapped: string[]
}

export type WaveformFileOptions = Pick<RecordOptions, 'change'> & {
  /** Looks at the channels of the file before anything is stored; may throw a `RefusedError`. */
  onRead?: ((read: ReadWaveforms) => void) | undefined
}

/**
 * Stores the waveforms of a file in one commit; throws a `RefusedError` where one cannot be stored.
 *
 * Takes the bytes over: those of a large file are moved to another thread.
 */
export async function ingestWaveforms(
  parts: VibrationParts,
  bytes: Uint8Array,
  file: WaveformFile,
  options: WaveformFileOptions = {},
): Promise<StoredWaveforms> {
  const zone = file.zone ?? (await zoneOfStations(parts, file))
  const { stations } = await parts.catalogue()
  const plan = { ...withStationUnits(file, stations), zone: zone?.name }
  return parts.reader.file(bytes, plan, (read) => storeWaveforms(parts, read, options))
}

async function storeWaveforms(
  parts: VibrationParts,
  read: ReadWaveforms,
  { onRead, ...options }: WaveformFileOptions,
): Promise<StoredWaveforms> {
  const { planned, unmapped } = read
  onRead?.(read)
  const { accepted, replaced, rejected } = await ingestVibrationTogether(parts, planned, options)
  const [first] = rejected
  if (first !== undefined)
    throw invalid(`channel ${show(planned[first.index]?.channel)}: ${first.message}`)
  return { accepted, replaced, rejected: [], unmapped }
}

/** Adds to each channel the unit of its station. */
function withStationUnits(
  file: WaveformFile,
  stations: ReadonlyMap<number, CatalogueStation>,
): WaveformFile {
  const withUnit = <Target extends { station: unknown }>(target: Target) => {
    const station = typeof target.station === 'number' ? stations.get(target.station) : undefined
    return { ...target, stationUnit: station && unitOfStation(station) }
  }
  const { only } = file
  return {
    ...file,
    channels: file.channels.map(withUnit),
    ...(only === undefined ? {} : { only: withUnit(only) }),
  }
}

/** The zone of the stations of a file, where all have the same. */
async function zoneOfStations(
  parts: VibrationParts,
  { channels, only }: ChannelPlan,
): Promise<Zone | undefined> {
  const { stations } = await parts.catalogue()
  const zones = [...channels, ...(only === undefined ? [] : [only])].map(({ station }) =>
    typeof station === 'number' ? stations.get(station)?.structure.zone : undefined,
  )
  return zones.every((zone) => zone === zones[0]) ? zones[0] : undefined
}
