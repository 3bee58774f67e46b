import type { PointTexts } from './point-texts.ts'
import type { FixedNumbers } from '../../encodings/fixed-numbers.ts'
import { POINTS_AT_ONCE, type PointScale } from '../../domain/vibration/point-text.ts'
import type { StoredWaveform } from '../../storage/storage.ts'

type WaveformConfig = Pick<StoredWaveform, 'unit' | 'sampleFreq' | 'count'>

/** Writes `{config, data}` of a waveform; `time` counts its points from 1. */
export function writeRaw(
  points: PointTexts,
  waveform: WaveformConfig,
  chunks: AsyncIterable<Float64Array>,
): AsyncGenerator<Uint8Array> {
  return write(points, waveform, chunks, { name: 'time', base: 1, factor: 1, divisor: 1 })
}

/** Writes `{config, data}` of a spectrum; `frequency` is in Hz. */
export function writeFft(
  points: PointTexts,
  waveform: WaveformConfig,
  amplitude: FixedNumbers,
): AsyncGenerator<Uint8Array> {
  const { sampleFreq, count } = waveform
  const scale = { name: 'frequency', base: 0, factor: Number(sampleFreq), divisor: count } as const
  return write(points, waveform, amplitude.parts(POINTS_AT_ONCE), scale)
}

async function* write(
  points: PointTexts,
  { unit, sampleFreq, count }: WaveformConfig,
  chunks: AsyncIterable<Float64Array> | Iterable<Float64Array>,
  scale: PointScale,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"config":${JSON.stringify({ unit, sampleFreq, count })},"data":[`)
  yield* points.write(chunks, scale)
  yield Buffer.from(']}')
}
