import type { Pool } from 'pg'
import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { toError } from '../../../errors/thrown.ts'
import type { SqlWriter } from '../../sql/engine.ts'
import type { Outcome, Statement } from '../../sql/statement.ts'
import { commit } from './commit.ts'
import { explain, isContention, isLost, RETRY_SECONDS } from './postgres-errors.ts'
import { rollBack } from './postgres-reader.ts'
import { MissingSources } from './run-statement.ts'
import { ExistingRows, statementRunner, type WriteRunner } from './statement-runner.ts'
import { mergeWrites } from './merge-writes.ts'
import { WriteQueue, type Job } from './write-queue.ts'

/** The most writes that share a transaction, and so one wait for the disk of the database. */
const GROUP_MAXIMUM = 64

/** How often a transaction runs that others were in the way of. */
const ATTEMPTS = 20

/**
 * The server ends a transaction that stands still: where the network has forgotten the connection, its
 * locks would be in the way of all others for hours.
 */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '10s'`

export type PostgresWriterOptions = {
  pool: Pool
  connections: number
  /** Runs the statements of a write. */
  runner?: WriteRunner
  /** Why nothing may be written; asked for each write, and again before its commit. */
  refusal?: () => RefusedError | undefined
}

/**
 * Writes through some connections. Writes that wait meanwhile share a transaction; where one of them
 * fails, each runs in its own. Where the connection is lost, all of them fail.
 */
export class PostgresWriter implements SqlWriter {
  readonly #pool: Pool
  readonly #queue = new WriteQueue<Outcome[]>()
  readonly #connections: number
  readonly #runner: WriteRunner
  readonly #refusal: () => RefusedError | undefined
  #busy = 0
  readonly #running = new Set<Promise<void>>()
  #lastFailure: { error: RefusedError | DamageError; at: number } | undefined

  /** Takes at most `connections` of the pool at once. */
  constructor({
    pool,
    connections,
    runner = statementRunner,
    refusal = () => undefined,
  }: PostgresWriterOptions) {
    this.#pool = pool
    this.#refusal = refusal
    this.#runner = runner
    this.#connections = connections
  }

  async write(statements: readonly Statement[]): Promise<Outcome[]> {
    this.#requireAllowed()
    const { result, isBlocked } = this.#queue.add(statements)
    if (!isBlocked) this.#startNext()
    return result
  }

  /** Resolves when every write that was asked for has ended. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** Why a write was refused, until another one has succeeded some seconds later. */
  get failure(): RefusedError | DamageError | undefined {
    return this.#lastFailure?.error
  }

  noteFailure(error: RefusedError | DamageError): void {
    this.#lastFailure = { error, at: performance.now() }
  }

  #startNext(): void {
    while (this.#busy < this.#connections) {
      const jobs = this.#queue.take(GROUP_MAXIMUM)
      if (jobs.length === 0) return
      this.#busy++
      const running = this.#run(jobs).finally(() => {
        this.#running.delete(running)
        this.#busy--
        this.#queue.release(jobs)
        this.#startNext()
      })
      this.#running.add(running)
    }
  }

  async #run(jobs: readonly Job<Outcome[]>[]): Promise<void> {
    const [first] = jobs
    if (jobs.length === 1 && first !== undefined) return this.#settle(first)
    try {
      const merged = mergeWrites(
        jobs.map(({ statements }) => this.#runner.assumeNew?.(statements) ?? statements),
      )
      const outcomes = await this.#commit(merged.flatMap(({ statements }) => statements))
      let at = 0
      const ended = merged.flatMap(({ statements, split }) =>
        split(outcomes.slice(at, (at += statements.length))),
      )
      for (const [job, { result }] of jobs.entries()) result.resolve(ended[job] ?? [])
    } catch (error) {
      // They may be stored: run again, some of them would be stored twice.
      if (isLost(toError(error).cause)) return jobs.forEach(({ result }) => result.reject(error))
      // The reason belongs to one of them: alone, each succeeds or fails by itself.
      for (const job of jobs) await this.#settle(job)
    }
  }

  async #settle({ statements, result }: Job<Outcome[]>): Promise<void> {
    try {
      result.resolve(await this.#store(statements))
    } catch (error) {
      result.reject(error)
    }
  }

  async #store(statements: readonly Statement[]): Promise<Outcome[]> {
    const asNew = this.#runner.assumeNew?.(statements)
    if (asNew !== undefined)
      try {
        return await this.#commit(asNew)
      } catch (error) {
        if (!(error instanceof ExistingRows)) throw error
      }
    return this.#commit(statements)
  }

  async #commit(statements: readonly Statement[]): Promise<Outcome[]> {
    for (let attempt = 1; ; attempt++)
      try {
        const outcomes = await this.#attempt(statements)
        const isOver = performance.now() - (this.#lastFailure?.at ?? 0) >= RETRY_SECONDS * 1000
        if (isOver) this.#lastFailure = undefined
        return outcomes
      } catch (error) {
        if (error instanceof MissingSources) await this.#addSources(statements)
        else if (!isContention(error) || attempt === ATTEMPTS) throw this.#failed(error)
      }
  }

  /** A connection that has ended while it was not used is replaced by another one. */
  async #attempt(statements: readonly Statement[]): Promise<Outcome[]> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      const begun = client.query(BEGIN)
      begun.catch(() => undefined)
      const outcomes = await this.#runner.run(client, statements)
      await begun
      this.#requireAllowed()
      await commit(client)
      return outcomes
    } catch (error) {
      broken = await rollBack(client)
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** Adds the rows that the locks of a write need, in the order of their ids. */
  async #addSources(statements: readonly Statement[]): Promise<void> {
    try {
      for (const { locks } of statements)
        if (locks !== undefined && locks.kind !== 'alarms')
          await this.#pool.query(
            `insert into ${locks.kind}_sources (source)
              select unnest($1::bigint[]) on conflict do nothing`,
            [locks.sources],
          )
    } catch (error) {
      throw this.#failed(error)
    }
  }

  #requireAllowed(): void {
    const refusal = this.#refusal()
    if (refusal !== undefined) throw refusal
  }

  #failed(error: unknown): unknown {
    const explained = explain(error, 'stored')
    if (explained instanceof RefusedError || explained instanceof DamageError)
      this.noteFailure(explained)
    return explained
  }
}
