import { ConflictError, type ConflictReason } from '../../../errors/conflict-error.ts'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import type { SampleChunks } from '../../../domain/vibration/sample-chunks.ts'
import { type Outcome, type Statement } from '../../sql/engine.ts'
import type { Synchronous } from './connection.ts'
import { isMalformed } from './reader.ts'
import { interleave } from '../records/interleave.ts'
import { hasNoInodes } from './free-inodes.ts'
import { FileWatch } from './file-watch.ts'
import { lentChunks } from './lent-chunks.ts'
import { migratedError } from '../migrations/migrate.ts'

export type WriterSettings = {
  file: string
  synchronous: Synchronous
  /** The data folder whose service is let write between two transactions. */
  givesWayIn?: string | undefined
}
/** What the thread gets: the file too, open for reading as long as the writer is there. */
export type ThreadSettings = WriterSettings & { descriptor: number }
export type Job = { id: number; statements: readonly Statement[] }
/** Values of a statement of a job that is still to come, in their order. */
export type JobPart = { id: number; statement: number; values: readonly unknown[] }
export type Failure = { code: string; message: string; version?: number; conflict?: ConflictReason }
export type Answer = ({ id: number; outcomes: Outcome[] } | { id: number; failure: Failure }) & {
  /** The bytes of the job's chunks, given back. */
  lent?: Uint8Array<ArrayBuffer>[]
}

/** What an operator can mend while the service runs: space, rights, a lock. */
const PASSING = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM)/
const RETRY_SECONDS = 5

/** Copying so many values to the writer takes a millisecond or two. */
const VALUES_AT_ONCE = 5_000

/**
 * The only writer of a database file, in a thread of its own.
 *
 * Jobs that wait while one is committed go into the next transaction together.
 */
export class Writer implements AsyncDisposable {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<Outcome[]>>()
  readonly #lent = new Map<number, SampleChunks[]>()
  readonly #sending = new SerialQueue()
  #lastId = 0
  #end: Error | undefined
  #refusal: { error: RefusedError | DamageError; at: number } | undefined
  /** Why no write is tried at all, while there is a reason. */
  blockedBy: RefusedError | undefined
  readonly #files: FileWatch
  readonly #folder: string
  readonly #descriptor: number

  constructor(settings: WriterSettings, files = new FileWatch(settings.file)) {
    this.#files = files
    this.#folder = dirname(settings.file)
    this.#descriptor = openSync(settings.file, 'r')
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { ...settings, descriptor: this.#descriptor } satisfies ThreadSettings,
      name: 'writer',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    this.#worker.on('message', (responses: Answer[]) => {
      files.look()
      for (const response of responses) this.#settle(response)
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
    const error = this.#end ?? this.#files.problem ?? this.blockedBy
    if (error !== undefined) return Promise.reject(error)
    const settled = Promise.withResolvers<Outcome[]>()
    const id = ++this.#lastId
    this.#waiting.set(id, settled)
    const lent = lentChunks(statements)
    if (lent.length > 0) this.#lent.set(id, lent)
    const moved = lent.map(({ bytes }) => bytes.buffer)
    const send = (job: Job): void => this.#worker.postMessage(job, moved)
    const isLarge = statements.some((one) => countValues(one) > VALUES_AT_ONCE)
    const sendWhole = (): void => send({ id, statements: statements.map(inRows) })
    if (isLarge) this.#sendInTurn(async () => send(await this.#sendParts(id, statements)))
    else if (this.#sending.length > 0) this.#sendInTurn(async () => sendWhole())
    else sendWhole()
    return settled.promise
  }

  /** Jobs reach the writer in the order in which they were given. */
  #sendInTurn(send: () => Promise<void>): void {
    this.#sending.run(send).catch((error: unknown) => this.#fail(error as Error))
  }

  /** Sends the values of a large job ahead of it; others have their turn between the parts. */
  async #sendParts(id: number, statements: readonly Statement[]): Promise<Job> {
    const rest: Statement[] = []
    for (const [statement, one] of statements.entries()) {
      if (countValues(one) <= VALUES_AT_ONCE) {
        rest.push(inRows(one))
        continue
      }
      for (const values of cutValues(one)) {
        this.#worker.postMessage({ id, statement, values } satisfies JobPart)
        await setImmediate()
      }
      const { columns: _, rows: __, ...others } = one
      rest.push({ ...others, values: [] })
    }
    return { id, statements: rest }
  }

  /**
   * Why a write was refused, until others have succeeded for some seconds: smaller ones than that
   * may succeed at once.
   */
  get refusal(): RefusedError | DamageError | undefined {
    return this.#files.problem ?? this.blockedBy ?? this.#refusal?.error
  }

  /** Finishes what waits, then lets the file go; whoever else has it open closes it before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending.run(async () => {})
    // An answer is handled before the thread closes: SQLite removes the log then, and a write that
    // succeeded would look like one to a log that somebody else took away.
    while (this.#waiting.size > 0)
      await Promise.allSettled([...this.#waiting.values()].map(({ promise }) => promise))
    if (this.#end !== undefined) return
    const exit = once(this.#worker, 'exit')
    this.#worker.postMessage('close')
    await exit
    closeSync(this.#descriptor)
  }

  #settle(response: Answer): void {
    const settled = this.#waiting.get(response.id)
    this.#waiting.delete(response.id)
    for (const [at, bytes] of response.lent?.entries() ?? [])
      this.#lent.get(response.id)![at]!.bytes = bytes
    this.#lent.delete(response.id)
    if (this.#files.problem !== undefined) return settled?.reject(this.#files.problem)
    if ('outcomes' in response) {
      const isOver = performance.now() - (this.#refusal?.at ?? 0) >= RETRY_SECONDS * 1000
      if (isOver) this.#refusal = undefined
      return settled?.resolve(response.outcomes)
    }
    const error = toError(response.failure, this.#folder)
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

const countValues = ({ values, columns, rows, width }: Statement): number => {
  if (rows !== undefined) return rows.count * width
  return columns === undefined ? values.length : columns.length * (columns[0]?.length ?? 0)
}

/** A statement whose values are one row after the other. */
function inRows(statement: Statement): Statement {
  const { columns, rows, ...others } = statement
  if (rows !== undefined) return { ...others, values: valuesOf(rows, 0, rows.count) }
  return columns === undefined ? statement : { ...others, values: interleave(columns) }
}

/** The values of a statement in parts, one row after the other. */
function* cutValues({ values, columns, rows, width }: Statement): Generator<readonly unknown[]> {
  const atOnce = Math.ceil(VALUES_AT_ONCE / Math.max(1, width))
  if (rows !== undefined)
    for (let at = 0; at < rows.count; at += atOnce) yield valuesOf(rows, at, at + atOnce)
  else if (columns !== undefined)
    for (let at = 0; at < columns[0]!.length; at += atOnce)
      yield interleave(columns.map((column) => column.slice(at, at + atOnce)))
  else
    for (let at = 0; at < values.length; at += VALUES_AT_ONCE)
      yield values.slice(at, at + VALUES_AT_ONCE)
}

function valuesOf(rows: NonNullable<Statement['rows']>, from: number, to: number): unknown[] {
  const values: unknown[] = []
  for (let at = from; at < Math.min(to, rows.count); at++)
    for (const value of rows.at(at)) values.push(value)
  return values
}

function toError({ code, message, version, conflict }: Failure, folder: string): Error {
  if (version !== undefined) return migratedError(version)
  if (conflict !== undefined) return new ConflictError(conflict, message)
  if (isMalformed({ code }))
    return new DamageError(`the database file is malformed where it is written (${code})`)
  if (!isPassing(code)) return Object.assign(new Error(message), { code })
  return nothingStored(code, folder)
}

/** Whether an error of SQLite ends when an operator has mended its cause. */
export const isPassing = (code: unknown): boolean => PASSING.test(String(code))

/** The file that connections share is small, and fails where there is no space at all. */
const FULL = /^SQLITE_(FULL|IOERR_SHM(OPEN|SIZE))$/

/** With these a file that cannot be made shows. */
const NO_FILE = /^SQLITE_(CANTOPEN|IOERR_SHMOPEN)/

/** Why an error of SQLite keeps everything from being written. */
export function reasonOf(code: string, folder: string): string {
  if (NO_FILE.test(code) && hasNoInodes(folder))
    return 'the disk has no free inodes for a further file'
  return FULL.test(code) ? 'the disk is full' : `the database answers ${code}`
}

/** What writers are told while nothing can be written. */
export function nothingStored(code: string, folder: string): RefusedError {
  return new RefusedError(
    'unavailable',
    `Nothing can be stored at the moment: ${reasonOf(code, folder)}.`,
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  )
}
