import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import type { SampleChunks } from '../../../domain/vibration/sample-chunks.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { toError } from '../../../errors/thrown.ts'
import type { Outcome, Statement } from '../../sql/statement.ts'
import { migratedError } from '../migrations/migrate.ts'
import { FileWatch } from './file-watch.ts'
import { isMalformed, isTemporary, notStoredError, RETRY_SECONDS } from './sqlite-errors.ts'
import { countValues, cutValues, toThread, withValues } from './statement-values.ts'
import { transferredChunks } from './transferred-chunks.ts'
import type {
  ThreadSettings,
  WriteFailure,
  WriteJob,
  WriteJobPart,
  WriteReply,
  WriterSettings,
} from './write-messages.ts'

/** Copying this many values to the thread takes one to two milliseconds. */
const VALUES_AT_ONCE = 5_000

/**
 * The only writer of a database file. Its statements run in a thread, which starts with `open` or the
 * first write.
 *
 * Jobs that wait during a commit go into the next transaction together.
 */
export class Writer implements AsyncDisposable {
  readonly #settings: WriterSettings
  #worker: Worker | undefined
  readonly #pending = new Map<number, PromiseWithResolvers<Outcome[]>>()
  /** Samples whose memory is at the thread, by the job. */
  readonly #transferred = new Map<number, SampleChunks[]>()
  readonly #sending = new SerialQueue()
  #lastId = 0
  #end: Error | undefined
  #lastFailure: { error: RefusedError | DamageError; at: number } | undefined
  /** Refuses every write while it is set. */
  blockedBy: RefusedError | undefined
  readonly #files: FileWatch
  readonly #folder: string
  readonly #descriptor: number

  constructor(settings: WriterSettings, files = new FileWatch(settings.file)) {
    this.#files = files
    this.#settings = settings
    this.#folder = dirname(settings.file)
    this.#descriptor = openSync(settings.file, 'r')
  }

  /** Starts the thread unless it runs. */
  open(): Worker {
    return (this.#worker ??= this.#start())
  }

  #start(): Worker {
    const files = this.#files
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { ...this.#settings, descriptor: this.#descriptor } satisfies ThreadSettings,
      name: 'writer',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    worker.on('message', (replies: WriteReply[]) => {
      files.check()
      for (const reply of replies) this.#resolve(reply)
    })
    worker.on('error', (error) => {
      this.#fail(toError(error))
      // A service that cannot store any more ends, so that its supervisor starts it again.
      queueMicrotask(() => {
        throw error
      })
    })
    worker.on('exit', () => this.#fail(new Error('the writer has stopped')))
    return worker
  }

  /** Runs all statements or none; resolves when they are durable. */
  write(statements: readonly Statement[]): Promise<Outcome[]> {
    const error = this.#end ?? this.#files.problem ?? this.blockedBy
    if (error !== undefined) return Promise.reject(error)
    const result = Promise.withResolvers<Outcome[]>()
    const id = ++this.#lastId
    this.#pending.set(id, result)
    const chunks = transferredChunks(statements)
    if (chunks.length > 0) this.#transferred.set(id, chunks)
    const buffers = chunks.map(({ bytes }) => bytes.buffer)
    const worker = this.open()
    const send = (job: WriteJob): void => worker.postMessage(job, buffers)
    const isLarge = statements.some((one) => countValues(one) > VALUES_AT_ONCE)
    const sendWhole = (): void => send({ id, statements: statements.map(toThread) })
    if (isLarge) this.#sendInTurn(async () => send(await this.#sendParts(id, statements)))
    else if (this.#sending.length > 0) this.#sendInTurn(async () => sendWhole())
    else sendWhole()
    return result.promise
  }

  /** Jobs reach the thread in the order of their calls of `write`. */
  #sendInTurn(send: () => Promise<void>): void {
    this.#sending.run(send).catch((error: unknown) => this.#fail(toError(error)))
  }

  /** Sends the values of a large job before it; the event loop runs between the parts. */
  async #sendParts(id: number, statements: readonly Statement[]): Promise<WriteJob> {
    const others: Statement[] = []
    for (const [statement, one] of statements.entries()) {
      if (countValues(one) <= VALUES_AT_ONCE) {
        others.push(toThread(one))
        continue
      }
      for (const values of cutValues(one, VALUES_AT_ONCE)) {
        this.open().postMessage({ id, statement, values } satisfies WriteJobPart)
        await setImmediate()
      }
      others.push(withValues(one, []))
    }
    return { id, statements: others }
  }

  /**
   * Why a write was refused, until another one has succeeded some seconds later: a smaller write may
   * succeed at once.
   */
  get failure(): RefusedError | DamageError | undefined {
    return this.#files.problem ?? this.blockedBy ?? this.#lastFailure?.error
  }

  /** Notes that a write could not be computed, since the data that it meets cannot be read. */
  noteFailure(error: RefusedError | DamageError): void {
    this.#lastFailure = { error, at: performance.now() }
  }

  /** Finishes the pending jobs, then closes the file. Other connections have to be closed before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending.run(async () => {})
    // A reply is handled before the thread closes: SQLite removes the log then, and a write that
    // succeeded would look like one to a log that somebody else removed.
    while (this.#pending.size > 0)
      await Promise.allSettled([...this.#pending.values()].map(({ promise }) => promise))
    if (this.#end !== undefined) return
    if (this.#worker !== undefined) {
      const exit = once(this.#worker, 'exit')
      this.#worker.postMessage('close')
      await exit
    }
    closeSync(this.#descriptor)
  }

  #resolve(reply: WriteReply): void {
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    this.#restoreSamples(reply)
    if (this.#files.problem !== undefined) return pending?.reject(this.#files.problem)
    if ('outcomes' in reply) {
      const isOver = performance.now() - (this.#lastFailure?.at ?? 0) >= RETRY_SECONDS * 1000
      if (isOver) this.#lastFailure = undefined
      return pending?.resolve(reply.outcomes)
    }
    const error = errorOf(reply.failure, this.#folder)
    if (error instanceof RefusedError || error instanceof DamageError) this.noteFailure(error)
    pending?.reject(error)
  }

  #restoreSamples({ id, samples }: WriteReply): void {
    for (const [at, chunks] of this.#transferred.get(id)?.entries() ?? []) {
      const bytes = samples?.[at]
      if (bytes !== undefined) chunks.bytes = bytes
    }
    this.#transferred.delete(id)
  }

  #fail(error: Error): void {
    this.#end ??= error
    for (const pending of this.#pending.values()) pending.reject(this.#end)
    this.#pending.clear()
  }
}

function errorOf(failure: WriteFailure, folder: string): Error {
  if ('version' in failure) return migratedError(failure.version)
  if ('conflict' in failure) return new ConflictError(failure.conflict, failure.message)
  const { code, message } = failure
  if (isMalformed(code))
    return new DamageError(`the database file is malformed where it is written (${code})`)
  return isTemporary(code)
    ? notStoredError(code, folder)
    : Object.assign(new Error(message), { code })
}
