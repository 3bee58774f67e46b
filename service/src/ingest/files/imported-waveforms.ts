import { invalid } from '../../domain/waveforms/waveform.ts'
import { show } from '../../errors/show.ts'
import type { ReadWaveforms } from '../waveforms/waveform-body-reader.ts'
import type { WaveformFile } from '../waveforms/waveform-file.ts'

/** The channels and waveforms that one import has read, over all of its files. */
export class ImportedWaveforms {
  /** The file of each waveform, by station and time. */
  readonly #files = new Map<string, string>()
  /** The indexes of the channels of the mapping that no member of an archive had so far. */
  #absent = new Set<number>()

  /** Begins an archive, whose members have the channels of the mapping together. */
  beginArchive({ channels }: WaveformFile): void {
    this.#absent = new Set(channels.keys())
  }

  /** Refuses a file with a waveform that would replace one of a file of the same import. */
  refuseRepeated({ planned }: ReadWaveforms): void {
    for (const { channel, station, collectTime } of planned) {
      const file = this.#files.get(keyOf(station, collectTime))
      if (file !== undefined)
        throw invalid(
          `channel ${show(channel)} begins at ${show(collectTime)} and goes to station ${show(station)}, as the waveform of ${file} that was read before; it would replace that one`,
        )
    }
  }

  /** Notes the channels of a file that was stored. */
  add(name: string, { planned, absent }: ReadWaveforms): void {
    for (const { station, collectTime } of planned)
      this.#files.set(keyOf(station, collectTime), name)
    this.#absent = this.#absent.intersection(new Set(absent))
  }

  /** The sentence on the channels that no member of the archive has, if there are any. */
  describeAbsent({ channels }: WaveformFile): string | undefined {
    const names = channels.flatMap(({ channel }, index) =>
      this.#absent.has(index) ? [show(channel)] : [],
    )
    if (names.length === 0) return undefined
    return names.length === 1
      ? `no member that was read has the channel ${names.join()} of the mapping`
      : `no member that was read has one of the channels ${names.join(', ')} of the mapping`
  }
}

const keyOf = (station: unknown, collectTime: unknown): string =>
  JSON.stringify([station, collectTime])
