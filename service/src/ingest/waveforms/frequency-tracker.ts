import { Analyser, isLong, type ReadableWaveform } from '../../analysis/analyser.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import { roundToPrecision } from '../../domain/derivation/rounding.ts'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import type { NewWaveform } from '../../storage/storage.ts'

/** Values of a station in the order of its items. */
export type StationValues = { station: CatalogueStation; values: (number | undefined)[] }

/**
 * Finds the frequencies that stations track in waveforms; long waveforms are analysed in a thread, one
 * after the other. Requests use another thread, so that records and alarms do not wait for them.
 */
export class FrequencyTracker implements AsyncDisposable {
  readonly #analyser = new Analyser('tracking')
  readonly #long = new SerialQueue()
  readonly #samplesMaximum: number

  /** Waveforms with more samples are not analysed. */
  constructor(samplesMaximum: number) {
    this.#samplesMaximum = samplesMaximum
  }

  /**
   * The frequencies of a waveform for the stations that track them; undefined without a peak in the
   * band, and all of them undefined for a waveform that is too long.
   */
  async track(
    { trackers }: CatalogueStation,
    { samples, sampleFreq }: Pick<NewWaveform, 'samples' | 'sampleFreq'>,
  ): Promise<StationValues[]> {
    const peaks = trackers.flatMap((station) =>
      (station.entry.fromWaveform?.peaks ?? []).map((peak) => ({ station, ...peak })),
    )
    if (peaks.length === 0) return []
    const waveform: ReadableWaveform = {
      length: samples.length,
      sampleHz: Number(sampleFreq),
      read: async () => (samples instanceof Float64Array ? samples.slice() : samples),
    }
    const bands = peaks.map(({ low, high, ratio }) => ({ low, high, ratio }))
    const identify = () => this.#analyser.analyse('frequencies', waveform, { bands })
    const isTooLong = samples.length > this.#samplesMaximum
    const { frequencies } = isTooLong
      ? { frequencies: [] }
      : await (isLong(samples.length) ? this.#long.run(identify) : identify())
    return trackers.map((station) => ({
      station,
      values: station.factor.items.map(({ key, precision }) => {
        const at = peaks.findIndex((peak) => peak.station === station && peak.item === key)
        const frequency = frequencies[at]
        return frequency === undefined ? undefined : roundToPrecision(frequency, precision)
      }),
    }))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#analyser[Symbol.asyncDispose]()
  }
}
