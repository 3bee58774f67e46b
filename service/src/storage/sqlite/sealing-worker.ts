import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DamageError } from '../../domain/sealed-part.ts'
import type { Preparation, SealRequest } from './seal-preparation.ts'

export type PreparationAnswer = { preparation: Preparation } | { error: Error; isDamage: boolean }

const IDLE_MILLISECONDS = 5_000

/** Compresses in a thread of its own, which is there only while it has something to do. */
export class SealingWorker implements AsyncDisposable {
  readonly #file: string
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string) {
    this.#file = file
  }

  prepare(request: SealRequest): Promise<Preparation> {
    const turn = this.#last.then(() => this.#ask(request))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #ask(request: SealRequest): Promise<Preparation> {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= new Worker(new URL('./sealing-thread.ts', import.meta.url), {
      workerData: { file: this.#file },
      name: 'sealing',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    }))
    try {
      worker.postMessage(request)
      const [answer] = (await once(worker, 'message')) as [PreparationAnswer]
      // A thread hands over an error's text, but not what it is.
      if ('error' in answer)
        throw answer.isDamage ? new DamageError(answer.error.message) : answer.error
      return answer.preparation
    } catch (error) {
      // A thread that died is started anew the next time.
      if (this.#worker === worker && worker.threadId === -1) this.#worker = undefined
      throw error
    } finally {
      this.#idle = setTimeout(() => void this.#rest(), IDLE_MILLISECONDS).unref()
    }
  }

  async #rest(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    if (worker === undefined) return
    const exit = once(worker, 'exit')
    worker.postMessage('close')
    await exit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await this.#rest()
  }
}
