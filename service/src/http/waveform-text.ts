import type { VibrationHeader } from '../storage/storage.ts'

/** So many points become text at a time; other requests are answered in between. */
const POINTS_AT_ONCE = 2_048

export const configText = ({
  unit,
  sampleFreq,
  count,
}: Pick<VibrationHeader, 'unit' | 'sampleFreq' | 'count'>): string =>
  JSON.stringify({ unit, sampleFreq, count })

/** `{config, data}` of the interface: a waveform, its points numbered from 1. */
export async function* writeRaw(
  batch: Pick<VibrationHeader, 'unit' | 'sampleFreq' | 'count'>,
  pieces: AsyncIterable<Float64Array>,
): AsyncGenerator<string> {
  let text = `{"config":${configText(batch)},"data":[`
  let point = 0
  for await (const samples of pieces)
    for (let at = 0; at < samples.length; at += POINTS_AT_ONCE) {
      for (const sample of samples.subarray(at, at + POINTS_AT_ONCE)) {
        text += `${point === 0 ? '' : ','}{"value":"${sample}","time":"${++point}"}`
      }
      yield text
      text = ''
    }
  yield `${text}]}`
}

/** `{config, data}` of the interface: a spectrum, line after line. */
export async function* writeFft(
  batch: Pick<VibrationHeader, 'unit' | 'sampleFreq' | 'count'>,
  amplitude: Float64Array,
): AsyncGenerator<string> {
  let text = `{"config":${configText(batch)},"data":[`
  const sampleHz = Number(batch.sampleFreq)
  for (let at = 0; at < amplitude.length; at += POINTS_AT_ONCE) {
    for (let k = at; k < Math.min(at + POINTS_AT_ONCE, amplitude.length); k++) {
      const frequency = (k * sampleHz) / batch.count
      text += `${k === 0 ? '' : ','}{"value":"${amplitude[k]}","frequency":"${frequency}"}`
    }
    yield text
    text = ''
  }
  yield `${text}]}`
}
