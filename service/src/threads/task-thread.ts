import { Worker } from 'node:worker_threads'
import { RefusedError } from '../errors/refused-error.ts'
import { toError } from '../errors/thrown.ts'

type TaskFunctions = Readonly<Record<string, (...given: never[]) => unknown>>
type AnyTasks = Readonly<Record<string, (...given: unknown[]) => unknown>>

/** The name of a task and its arguments, which can be sent to another thread. */
type Task<All extends TaskFunctions, Name extends keyof All> = {
  name: Name
  given: Readonly<Parameters<All[Name]>>
}
export type TaskReply = { id: number } & (
  { result: unknown } | { refused: string } | { failed: string }
)

/**
 * A thread that runs one task after the other; it starts with the first and never ends the process.
 *
 * A `RefusedError` of a task is thrown here with the same sentence. When the thread dies, its tasks
 * fail, and the next one gets a new thread.
 */
export class TaskThread<All extends TaskFunctions = AnyTasks> implements AsyncDisposable {
  readonly #program: URL
  readonly #name: string
  #worker: Worker | undefined
  readonly #replies = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  /** `program` is a module that calls `runTasks`. */
  constructor(program: URL, name: string) {
    this.#program = program
    this.#name = name
  }

  /**
   * Runs a task. `moved` is memory that the caller can no longer use.
   *
   * When the signal is aborted the thread ends, and all of its tasks fail with the reason.
   */
  async run<Name extends keyof All>(
    task: Task<All, Name>,
    moved: readonly ArrayBuffer[],
    signal?: AbortSignal,
  ): Promise<ReturnType<All[Name]>> {
    signal?.throwIfAborted()
    const end = (): void => this.#end(toError(signal?.reason))
    signal?.addEventListener('abort', end)
    try {
      // The program of the thread runs the same tasks.
      return (await this.#send(task, moved)) as ReturnType<All[Name]>
    } finally {
      signal?.removeEventListener('abort', end)
    }
  }

  /** Ends the thread; its tasks fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    this.#fail(worker, new Error(`the ${this.#name} thread was stopped`))
    await worker.terminate()
  }

  #send(task: object, moved: readonly ArrayBuffer[]): Promise<unknown> {
    const worker = (this.#worker ??= this.#start())
    const reply = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    worker.postMessage({ id, ...task }, moved)
    worker.ref()
    this.#replies.set(id, reply)
    return reply.promise
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { name: this.#name })
    worker.on('message', (reply: TaskReply) => this.#receive(reply))
    worker.on('error', (error) => this.#fail(worker, toError(error)))
    worker.on('exit', () => this.#fail(worker, new Error(`the ${this.#name} thread has stopped`)))
    return worker
  }

  #end(reason: Error): void {
    const worker = this.#worker
    if (worker === undefined) return
    this.#fail(worker, reason)
    void worker.terminate()
  }

  #receive(message: TaskReply): void {
    const reply = this.#replies.get(message.id)
    this.#replies.delete(message.id)
    if (this.#replies.size === 0) this.#worker?.unref()
    if ('result' in message) reply?.resolve(message.result)
    else if ('refused' in message) reply?.reject(new RefusedError('invalid', message.refused))
    else reply?.reject(new Error(message.failed))
  }

  /** A thread that fails also exits; by then the next one may have started. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const reply of this.#replies.values()) reply.reject(error)
    this.#replies.clear()
  }
}
