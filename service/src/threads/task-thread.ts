import { Worker } from 'node:worker_threads'
import { RefusedError } from '../errors/refused-error.ts'

/** What a task is called, and what it is given; all of it can be sent to another thread. */
export type Task = { name: string; given: readonly unknown[] }
export type TaskReply = { id: number } & (
  { result: unknown } | { refusal: string } | { failure: string }
)

/**
 * A thread that does one task after the other; it starts with the first and never ends the process.
 *
 * What a task refuses is refused here by the same sentence. When the thread dies, the tasks that it
 * had fail, and the next one gets a new thread.
 */
export class TaskThread implements AsyncDisposable {
  readonly #program: URL
  readonly #name: string
  #worker: Worker | undefined
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  /** `program` is a module that calls `runTasks`. */
  constructor(program: URL, name: string) {
    this.#program = program
    this.#name = name
  }

  /**
   * Takes `moved` over: whoever calls has them no longer.
   *
   * When the signal is aborted the thread ends, and all tasks that it has fail with the reason.
   */
  async run(task: Task, moved: readonly ArrayBuffer[], signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted()
    const end = (): void => this.#end(signal!.reason as Error)
    signal?.addEventListener('abort', end)
    try {
      return await this.#give(task, moved)
    } finally {
      signal?.removeEventListener('abort', end)
    }
  }

  /** Ends the thread; tasks that it still has fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    this.#fail(worker, new Error(`the ${this.#name} thread was stopped`))
    await worker.terminate()
  }

  #give(task: Task, moved: readonly ArrayBuffer[]): Promise<unknown> {
    const worker = (this.#worker ??= this.#start())
    const settled = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    worker.postMessage({ id, ...task }, moved)
    worker.ref()
    this.#waiting.set(id, settled)
    return settled.promise
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { name: this.#name })
    worker.on('message', (response: TaskReply) => this.#settle(response))
    worker.on('error', (error) => this.#fail(worker, error as Error))
    worker.on('exit', () => this.#fail(worker, new Error(`the ${this.#name} thread has stopped`)))
    return worker
  }

  #end(reason: Error): void {
    const worker = this.#worker
    if (worker === undefined) return
    this.#fail(worker, reason)
    void worker.terminate()
  }

  #settle(response: TaskReply): void {
    const settled = this.#waiting.get(response.id)
    this.#waiting.delete(response.id)
    if (this.#waiting.size === 0) this.#worker?.unref()
    if ('result' in response) settled?.resolve(response.result)
    else if ('refusal' in response) settled?.reject(new RefusedError('invalid', response.refusal))
    else settled?.reject(new Error(response.failure))
  }

  /** A thread that fails also exits, and by then the next one may be at work. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const settled of this.#waiting.values()) settled.reject(error)
    this.#waiting.clear()
  }
}
