import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { RefusedError } from '../domain/refused-error.ts'
import type { AnalysisAnswer, AnalysisJob } from './analysis-thread.ts'
import { TASKS } from './tasks.ts'

type AnyTask = (samples: Float64Array, sampleHz: number, options: object) => object

/** So much it steps back: where all processors are busy, those who only fetch a record come first. */
const NICE = 10

// Linux alone has priorities of threads; elsewhere it would be the whole service that steps back.
if (platform() === 'linux')
  setPriority(Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW))

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
