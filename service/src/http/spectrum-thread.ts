import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { spectrum } from '../domain/vibration/spectrum.ts'

/** Above this a transform would keep other requests waiting. */
const LONG_POINTS = 100_000

/** Single-sided amplitudes of a waveform; long ones are computed in a thread. Takes the samples over. */
export async function computeSpectrum(
  samples: Float64Array<ArrayBuffer>,
  sampleHz: number,
): Promise<Float64Array> {
  if (samples.length <= LONG_POINTS) return spectrum(samples, sampleHz).amplitude
  const worker = new Worker(new URL('./spectrum-worker.ts', import.meta.url), {
    workerData: { samples, sampleHz },
    transferList: [samples.buffer],
    name: 'spectrum',
  })
  const [amplitude] = (await once(worker, 'message')) as [Float64Array]
  return amplitude
}
