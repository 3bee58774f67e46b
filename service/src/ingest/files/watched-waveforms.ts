import type { Logger } from 'pino'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { parseInstant } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import type { PositionStore } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { ReadWaveforms } from '../waveforms/waveform-body-reader.ts'
import type { WaveformFile } from '../waveforms/waveform-file.ts'
import { formatPosition } from './file-position.ts'
import type { FolderProgress } from './folder-state.ts'
import { RefusedWaveformsError } from './refused-waveforms-error.ts'
import type { WatchedFile } from './watched-file.ts'

export type WatchedWaveformsOptions = {
  ingest: Pick<RecordIngest, 'waveforms' | 'catalogue' | 'clock'>
  positions: PositionStore
  progress: FolderProgress
  log: Pick<Logger, 'info'>
  /** Larger files are refused. */
  mostFileBytes: number
}

type DueWaveforms = {
  file: WatchedFile
  name: string
  /** The beginning of the names of positions of the folder. */
  prefix: string
  mapping: WaveformFile
}

/**
 * Stores the waveforms of a watched file, which does not change any more; returns the name of its
 * position, by which it is known whatever its name.
 *
 * The position follows the waveforms: after a crash in between the same ones are stored again. Throws a
 * `RefusedWaveformsError` for a file of which none is stored.
 */
export async function storeWatchedWaveforms(
  { ingest, positions, progress, log, mostFileBytes }: WatchedWaveformsOptions,
  { file, name, prefix, mapping }: DueWaveforms,
): Promise<string> {
  const { bytes, identity } = await file.readWhole(mostFileBytes)
  const key = `${prefix}${identity}`
  const { length } = bytes
  if ((await positions.find(key)) === undefined) {
    let read: ReadWaveforms = { planned: [], unmapped: [], absent: [] }
    const onRead = (found: ReadWaveforms): void => {
      read = found
      requireMapped(found)
    }
    const plan = { ...mapping, isPart: true }
    const { accepted, replaced } = await refusedWhole(() =>
      ingest.waveforms(bytes, plan, { onRead }),
    )
    await positions.set(key, wholePosition(name, length))
    progress.storeWaveforms(
      { accepted, replaced },
      timesOf(read, await ingest.catalogue()),
      ingest.clock.now(),
    )
    const absent = read.absent.map((index) => mapping.channels[index]?.channel)
    log.info(
      { file: name, waveforms: accepted, replaced, leftOut: read.unmapped, absent },
      'a watched file of waveforms was read',
    )
  }
  progress.setBytesBehind(name, 0)
  return key
}

/** A mapping may name channels of other files of the folder, but a file must have one of them. */
function requireMapped({ planned, unmapped }: ReadWaveforms): void {
  if (planned.length > 0) return
  throw new RefusedWaveformsError(
    `it has no channel of the mapping, but ${unmapped.map(show).join(', ')}`,
  )
}

async function refusedWhole<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RefusedError) || error.reason !== 'invalid') throw error
    throw new RefusedWaveformsError(error.message, { cause: error })
  }
}

const wholePosition = (name: string, length: number): string =>
  formatPosition({
    name,
    place: { offset: length, lines: 0, header: 0, headerLines: 0 },
    tail: '',
    openEnd: 0,
    openLine: '',
  })

/** The instants at which the waveforms begin. */
function timesOf({ planned }: ReadWaveforms, { stations }: Catalogue): number[] {
  return planned.flatMap(({ station, collectTime }) => {
    const zone = stations.get(Number(station))?.structure.zone
    const instant = zone === undefined ? undefined : parseInstant(collectTime, zone)
    return instant === undefined ? [] : [instant]
  })
}
