import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DamageError } from '../../domain/damage-error.ts'
import { RefusedError } from '../../domain/refused-error.ts'
import type { CutSamples } from '../../domain/vibration/cut-samples.ts'
import { ConflictError, type Outcome, type Statement } from '../sql/engine.ts'
import { OutdatedError } from '../outdated-error.ts'
import { OvertakenError } from '../overtaken-error.ts'
import type { Synchronous } from './connection.ts'
import { isMalformed } from './reader.ts'
import { piecesOf } from './lent-pieces.ts'

export type WriterSettings = { file: string; synchronous: Synchronous }
export type Job = { id: number; statements: readonly Statement[] }
export type Failure = { code: string; message: string }
export type Answer = ({ id: number; outcomes: Outcome[] } | { id: number; failure: Failure }) & {
  /** The bytes of the job's pieces, given back. */
  lent?: Uint8Array<ArrayBuffer>[]
}

/** What an operator can mend while the service runs: space, rights, a lock. */
const PASSING = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM)/
const RETRY_SECONDS = 5

/**
 * The only writer of a database file, in a thread of its own.
 *
 * Jobs that wait while one is committed go into the next transaction together.
 */
export class Writer implements AsyncDisposable {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<Outcome[]>>()
  readonly #lent = new Map<number, CutSamples[]>()
  #lastId = 0
  #end: Error | undefined
  #refusal: { error: Error; at: number } | undefined

  constructor(settings: WriterSettings) {
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: settings,
      name: 'writer',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    this.#worker.on('message', (answers: Answer[]) => {
      for (const answer of answers) this.#settle(answer)
    })
    this.#worker.on('error', (error) => {
      this.#fail(error as Error)
      // A service that can never store again is better gone and started anew.
      queueMicrotask(() => {
        throw error
      })
    })
    this.#worker.on('exit', () => this.#fail(new Error('the writer has stopped')))
  }

  /** Runs all statements or none; resolves when they are durable. */
  write(statements: readonly Statement[]): Promise<Outcome[]> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const settled = Promise.withResolvers<Outcome[]>()
    const id = ++this.#lastId
    this.#waiting.set(id, settled)
    const lent = piecesOf(statements)
    if (lent.length > 0) this.#lent.set(id, lent)
    const moved = lent.map(({ bytes }) => bytes.buffer)
    this.#worker.postMessage({ id, statements } satisfies Job, moved)
    return settled.promise
  }

  /** Why a write was refused within the last seconds: smaller ones than that may still succeed. */
  get refusal(): Error | undefined {
    const { error, at } = this.#refusal ?? { at: -Infinity }
    return performance.now() - at < RETRY_SECONDS * 1000 ? error : undefined
  }

  /** Finishes what waits, then lets the file go. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end !== undefined) return
    const exit = once(this.#worker, 'exit')
    this.#worker.postMessage('close')
    await exit
  }

  #settle(answer: Answer): void {
    const settled = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    for (const [at, bytes] of answer.lent?.entries() ?? [])
      this.#lent.get(answer.id)![at]!.bytes = bytes
    this.#lent.delete(answer.id)
    if ('outcomes' in answer) return settled?.resolve(answer.outcomes)
    const error = toError(answer.failure)
    if (error instanceof RefusedError || error instanceof DamageError)
      this.#refusal = { error, at: performance.now() }
    settled?.reject(error)
  }

  #fail(error: Error): void {
    this.#end ??= error
    for (const settled of this.#waiting.values()) settled.reject(this.#end)
    this.#waiting.clear()
  }
}

function toError({ code, message }: Failure): Error {
  if (code === 'CONFLICT') return new ConflictError(message)
  if (code === 'OVERTAKEN') return new OvertakenError(message)
  if (code === 'OUTDATED') return new OutdatedError(message)
  if (isMalformed({ code }))
    return new DamageError(`the database file is malformed where it is written (${code})`)
  if (!PASSING.test(code)) return Object.assign(new Error(message), { code })
  const reason = code === 'SQLITE_FULL' ? 'the disk is full' : `the database answers ${code}`
  return new RefusedError('unavailable', `Nothing can be stored at the moment: ${reason}.`, {
    retryAfterSeconds: RETRY_SECONDS,
  })
}
