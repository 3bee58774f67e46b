import pg from 'pg'
import { RefusedError } from '../../../errors/refused-error.ts'
import { holdServing, holdUse, keepUseAlone, leaveUseAlone } from '../migrations/advisory-locks.ts'

const RETRY_MILLISECONDS = 1_000

/**
 * The session of a program that has the database open: it holds the locks that tell others so, for as
 * long as its connection lives. A connection that is lost is opened again.
 */
export class DatabaseSession implements AsyncDisposable {
  readonly #options: pg.ClientConfig
  readonly #isServed: boolean
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #isAlone = false

  private constructor(options: pg.ClientConfig, isServed: boolean) {
    this.#options = options
    this.#isServed = isServed
  }

  /** Refuses a database that another program has alone. */
  static async open(options: pg.ClientConfig, isServed: boolean): Promise<DatabaseSession> {
    const session = new DatabaseSession(options, isServed)
    await session.#connect()
    return session
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
    const client = new pg.Client(this.#options)
    // A failed query ends in `end` as well.
    client.on('error', () => undefined)
    await client.connect()
    try {
      if (!(await holdUse(client))) throw TAKEN
      if (this.#isServed) await holdServing(client)
    } catch (error) {
      await client.end()
      throw error
    }
    client.once('end', () => this.#reconnect())
    this.#client = client
  }

  #reconnect(): void {
    this.#client = undefined
    // What is rewritten alone must not go on beside others.
    if (this.#isAlone) throw new Error('the connection that has the database alone was lost')
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#connect().catch(() => this.#reconnect())
    }, RETRY_MILLISECONDS).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end()
  }
}

const TAKEN = new RefusedError(
  'unavailable',
  'Another program rewrites the stored records and has the database alone. Start again when it has ended.',
)

const NOT_ALONE = new RefusedError(
  'unavailable',
  'Stored records are rewritten while nothing else uses the database. Stop the service and other commands first.',
)

const NOT_CONNECTED = new RefusedError(
  'unavailable',
  'Stored records are rewritten while nothing else uses the database, and it cannot be reached.',
)
