import { parentPort } from 'node:worker_threads'
import { RefusedError } from '../domain/refused-error.ts'
import type { AnalysisAnswer, AnalysisJob } from './analysis-thread.ts'
import { TASKS } from './tasks.ts'

type AnyTask = (samples: Float64Array, sampleHz: number, options: object) => object

parentPort!.on(
  'message',
  ({ id, name, samples, sampleHz, options }: AnalysisJob & { id: number }) => {
    try {
      const task = TASKS[name as keyof typeof TASKS] as unknown as AnyTask
      answer({ id, result: task(samples, sampleHz, options) })
    } catch (error) {
      const { message } = error as Error
      answer(error instanceof RefusedError ? { id, refusal: message } : { id, failure: message })
    }
  },
)

/** Long lists of numbers are handed over, not copied. */
function answer(message: AnalysisAnswer): void {
  const buffers =
    'result' in message
      ? Object.values(message.result)
          .filter((value) => value instanceof Float64Array)
          .map(({ buffer }) => buffer as ArrayBuffer)
      : []
  parentPort!.postMessage(message, buffers)
}
