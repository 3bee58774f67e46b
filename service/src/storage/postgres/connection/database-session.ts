import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf, toError } from '../../../errors/thrown.ts'
import { holdServing, holdUse, keepUseAlone, leaveUseAlone } from '../migrations/advisory-locks.ts'
import { closeClient } from './close-client.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { PATIENCE_SECONDS, withPatience } from './patience.ts'
import { explain, LostError, RETRY_SECONDS } from './postgres-errors.ts'
import type { SqlConnection } from './sql-connection.ts'

const ASK_MILLISECONDS = 2_000
const RETRY_MILLISECONDS = 1_000

const MIGRATION_LOOK_MILLISECONDS = 100
const MIGRATION_SECONDS = 60

export type SessionOptions = {
  connection: pg.ClientConfig
  /** Whether the process serves the database: no other program migrates it meanwhile. */
  isServed: boolean
  /** Refuses a database that this program can no longer use; asked whenever the locks are taken. */
  verify(connection: SqlConnection): Promise<void>
  /** The connections that are of no use while the server is silent. */
  pools: readonly Pick<ConnectionPool, 'refuse' | 'allow'>[]
}

/**
 * The session of a program that has the database open. It holds the locks that tell others so, for as
 * long as its connection lives, and asks every two seconds whether the server answers. A connection that
 * is lost is opened again.
 */
export class DatabaseSession implements AsyncDisposable {
  readonly #options: SessionOptions
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #isAlone = false
  #silence: LostError | undefined
  #problem: RefusedError | undefined

  private constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Refuses a database that another program has alone; waits while one migrates it. */
  static async open(options: SessionOptions): Promise<DatabaseSession> {
    const session = new DatabaseSession(options)
    const end = performance.now() + MIGRATION_SECONDS * 1000
    for (;;)
      try {
        await session.#connect()
        return session
      } catch (error) {
        if (error !== MIGRATING || performance.now() > end) throw error
        await sleep(MIGRATION_LOOK_MILLISECONDS)
      }
  }

  /** Why nothing may be written: the locks are not held, so that another program may change the database. */
  get problem(): RefusedError | undefined {
    return this.#problem
  }

  /** Keeps every other program out until it is disposed of; refuses where one is in. */
  async takeAlone(): Promise<AsyncDisposable> {
    const client = this.#client
    if (client === undefined) throw NOT_CONNECTED
    if (!(await keepUseAlone(client))) throw NOT_ALONE
    this.#isAlone = true
    return {
      [Symbol.asyncDispose]: async () => {
        this.#isAlone = false
        if (this.#client === client) await leaveUseAlone(client)
      },
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#options.connection)
    // A failed query ends in `end` as well.
    client.on('error', () => undefined)
    try {
      // An attempt that takes long goes on: it ends by its own timeout.
      await withPatience(client.connect(), () => this.#fallSilent())
      await this.#ask(client, this.#takeLocks(client))
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    client.once('end', () => this.#lose())
    this.#client = client
    this.#problem = undefined
    this.#hear()
    this.#askLater(client)
  }

  async #takeLocks(client: pg.Client): Promise<void> {
    const { isServed, verify } = this.#options
    // Before as well: a program that migrates step by step is not to find it served.
    await verify(client)
    if (!(await holdUse(client))) throw TAKEN
    if (isServed && !(await holdServing(client))) throw MIGRATING
    await verify(client)
  }

  #askLater(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      this.#ask(client, client.query('select 1')).then(
        () => this.#client === client && this.#askLater(client),
        () => client.connection.stream.destroy(),
      )
    }, ASK_MILLISECONDS).unref()
  }

  /** Waits for the answer of a connection; one that is silent is of no more use. */
  #ask<Answer>(client: pg.Client, answer: Promise<Answer>): Promise<Answer> {
    return withPatience(answer, () => {
      this.#fallSilent()
      client.connection.stream.destroy(this.#silence)
    })
  }

  #fallSilent(): void {
    this.#silence = new LostError(
      `the database does not answer: it has been silent for ${PATIENCE_SECONDS} seconds or more`,
    )
    this.#refuse(this.#silence)
  }

  #refuse(error: LostError): void {
    this.#problem = refusal(error)
    for (const pool of this.#options.pools) pool.refuse(error)
  }

  #hear(): void {
    this.#silence = undefined
    for (const pool of this.#options.pools) pool.allow()
  }

  #lose(): void {
    this.#client = undefined
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    // What is rewritten alone must not go on beside others: neither its writes nor what it reads.
    if (this.#isAlone) return this.#refuse(ALONE_LOST)
    this.#problem ??= refusal(LOCKS_LOST)
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    while (!this.#isClosed)
      try {
        return await this.#connect()
      } catch (error) {
        if (isAnswer(error)) this.#hear()
        this.#problem = refusal(this.#silence ?? error)
        await sleep(RETRY_MILLISECONDS, undefined, { ref: false })
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    if (this.#client !== undefined) await closeClient(this.#client)
  }
}

/** Whether an attempt to connect failed by what the server said, or by the machine on which it should be. */
const isAnswer = (error: unknown): boolean =>
  error instanceof RefusedError ||
  (!(error instanceof LostError) && /^([0-9A-Z]{5}|ECONNREFUSED|ENOENT)$/.test(codeOf(error) ?? ''))

/** Whatever keeps a program from its locks, it cannot write at the moment. */
function refusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error
  const explained = explain(error, 'stored')
  return explained instanceof RefusedError
    ? explained
    : new RefusedError(
        'unavailable',
        `Nothing can be stored at the moment: the database cannot be used: ${toError(error).message}.`,
        { retryAfterSeconds: RETRY_SECONDS, cause: error },
      )
}

const LOCKS_LOST = new LostError(
  'the connection with the locks of this program was lost, and is opened again',
)

const ALONE_LOST = new LostError('the connection that had the database alone was lost')

const TAKEN = new RefusedError(
  'unavailable',
  'Another program rewrites the stored records and has the database alone. Try again when it has ended.',
  { retryAfterSeconds: RETRY_SECONDS },
)

const MIGRATING = new RefusedError(
  'unavailable',
  'Another program migrates the database. Try again when it has ended.',
  { retryAfterSeconds: RETRY_SECONDS },
)

const NOT_ALONE = new RefusedError(
  'unavailable',
  'Stored records are rewritten while nothing else uses the database. Stop the service and other commands first.',
)

const NOT_CONNECTED = new RefusedError(
  'unavailable',
  'Stored records are rewritten while nothing else uses the database, and it cannot be reached.',
)
