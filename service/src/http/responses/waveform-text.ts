import type { PointTexts } from './point-texts.ts'
import type { FixedNumbers } from '../../encodings/fixed-numbers.ts'
import { POINTS_AT_ONCE, type PointScale } from '../../domain/vibration/point-text.ts'
import type { StoredWaveform } from '../../storage/storage.ts'

type Config = Pick<StoredWaveform, 'unit' | 'sampleFreq' | 'count'>

/** `{config, data}` of the interface: a waveform, its points numbered from 1. */
export function writeRaw(
  points: PointTexts,
  batch: Config,
  pieces: AsyncIterable<Float64Array>,
): AsyncGenerator<Uint8Array> {
  return write(points, batch, pieces, { name: 'time', base: 1, factor: 1, divisor: 1 })
}

/** `{config, data}` of the interface: a spectrum, line after line. */
export function writeFft(
  points: PointTexts,
  batch: Config,
  amplitude: FixedNumbers,
): AsyncGenerator<Uint8Array> {
  const { sampleFreq, count } = batch
  const places = { name: 'frequency', base: 0, factor: Number(sampleFreq), divisor: count } as const
  return write(points, batch, amplitude.parts(POINTS_AT_ONCE), places)
}

async function* write(
  points: PointTexts,
  { unit, sampleFreq, count }: Config,
  pieces: AsyncIterable<Float64Array> | Iterable<Float64Array>,
  places: PointScale,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"config":${JSON.stringify({ unit, sampleFreq, count })},"data":[`)
  yield* points.write(pieces, places)
  yield Buffer.from(']}')
}
