import { zone } from '../../service/src/domain/time/local-time.ts'
import { postOctets } from './load/requests.ts'
import { FIRST_INSTANT, siteText } from './site.ts'
import { randomNumbers } from './statistics.ts'

export const CHANNELS = 50
export const SAMPLE_HZ = 200

/** A channel of its own for the long waveforms, so that the others' are all alike. */
export const LONG_CHANNEL = 99

/** Fifty accelerometers and one more; each waveform has its theme record. */
export const VIBRATION_SITE = siteText({
  factor: 'Vibration',
  items: ['pv', 'ppv', 'trms'].map(
    (key, at) => `{ id: ${at + 1}, key: ${key}, name: ${key}, unit: g, precision: 0.000001 }`,
  ),
  stations: [...Array.from({ length: CHANNELS }, (_, at) => at + 1), LONG_CHANNEL].map(
    (id) => `{ id: ${id}, name: A-${id} }`,
  ),
})

/** Noise and a few lines, in single precision, as an accelerometer sends it. */
export function waveform(count: number, seed = 1): Float32Array {
  const random = randomNumbers(seed)
  return Float32Array.from({ length: count }, (_, n) => {
    const lines = Math.sin(n / 13) + 0.3 * Math.sin(n / 5.1)
    return (lines + 0.2 * (random() - 0.5)) / 100
  })
}

/** The local second of the waveform that begins some seconds after the first. */
export const secondText = (seconds: number): string =>
  zone('Asia/Shanghai').toLocal(FIRST_INSTANT + seconds * 1000)

export function waveformRequest(
  key: string,
  { station, seconds, samples }: { station: number; seconds: number; samples: Float32Array },
): Buffer {
  const query = new URLSearchParams({
    station: String(station),
    collectTime: secondText(seconds),
    sampleFreq: String(SAMPLE_HZ),
    unit: 'g',
    encoding: 'float32',
  })
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return postOctets(`/ingest/v1/vibration?${query}`, key, bytes)
}
