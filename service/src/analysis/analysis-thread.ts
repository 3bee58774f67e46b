import { Worker } from 'node:worker_threads'
import { RefusedError } from '../domain/refused-error.ts'

export type AnalysisJob = {
  name: string
  samples: Float64Array<ArrayBuffer>
  sampleHz: number
  options: object
}
export type AnalysisAnswer = { id: number } & (
  { result: object } | { refusal: string } | { failure: string }
)

/** A thread that does one task after the other; it starts with the first and never ends the process. */
export class AnalysisThread {
  #worker: Worker | undefined
  readonly #waiting = new Map<number, PromiseWithResolvers<object>>()
  #lastId = 0

  run(job: AnalysisJob): Promise<object> {
    const worker = (this.#worker ??= this.#start())
    const settled = Promise.withResolvers<object>()
    const id = ++this.#lastId
    this.#waiting.set(id, settled)
    worker.ref()
    worker.postMessage({ id, ...job }, [job.samples.buffer])
    return settled.promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./analysis-worker.ts', import.meta.url), {
      name: 'analysis',
    })
    worker.on('message', (answer: AnalysisAnswer) => this.#settle(answer))
    worker.on('error', (error) => this.#fail(error as Error))
    worker.on('exit', () => this.#fail(new Error('the analysis thread has stopped')))
    return worker
  }

  #settle(answer: AnalysisAnswer): void {
    const settled = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker?.unref()
    if ('result' in answer) settled?.resolve(answer.result)
    else if ('refusal' in answer) settled?.reject(new RefusedError('invalid', answer.refusal))
    else settled?.reject(new Error(answer.failure))
  }

  /** The next task gets a new thread. */
  #fail(error: Error): void {
    this.#worker = undefined
    for (const settled of this.#waiting.values()) settled.reject(error)
    this.#waiting.clear()
  }
}
