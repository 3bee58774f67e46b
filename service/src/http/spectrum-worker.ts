import { parentPort, workerData } from 'node:worker_threads'
import { spectrum } from '../domain/vibration/spectrum.ts'

const { samples, sampleHz } = workerData as { samples: Float64Array; sampleHz: number }
parentPort!.postMessage(spectrum(samples, sampleHz).amplitude)
