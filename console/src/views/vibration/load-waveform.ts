import { client } from '../../state/api.ts'
import type { Samples } from '../../plots/sample-plot.ts'
import type { WaveformBatch } from './batch.ts'

export async function loadWaveform(
  stationId: number,
  { collectTime }: WaveformBatch,
  signal: AbortSignal,
): Promise<Samples> {
  const { config, data } = await client.getVibrationRaw({ stationId, collectTime }, { signal })
  return {
    samples: Float64Array.from(data, ({ value }) => Number(value)),
    rate: Number(config.sampleFreq),
  }
}

/** The amplitude spectrum of a batch; with `rate` lines for each hertz. */
export async function loadSpectrum(
  stationId: number,
  { collectTime }: WaveformBatch,
  signal: AbortSignal,
): Promise<Samples> {
  const { config, data } = await client.getVibrationFft({ stationId, collectTime }, { signal })
  return {
    samples: Float64Array.from(data, ({ value }) => Number(value)),
    rate: config.count / Number(config.sampleFreq),
  }
}
