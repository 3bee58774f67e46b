import pg from 'pg'
import { codeOf, toError } from '../../../errors/thrown.ts'
import { closeClient } from './close-client.ts'
import { isUnavailable, NotConnectedError } from './postgres-errors.ts'

/** After a refusal for lack of room, the server is asked for one more connection this often. */
const ASK_MILLISECONDS = 5_000

/** The connections of a pool, and why no other one may be opened. */
type Gate = {
  clients: Set<pg.Client>
  opening: Set<Promise<unknown>>
  open: Set<pg.Client>
  refusal: Error | undefined
}

export type ConnectionPoolOptions = pg.PoolConfig & {
  /** Hears of each connection that the server refuses for lack of room. */
  onNoRoom?: () => void
}

/**
 * A pool of `pg` whose connections can all be ended at once. Where the server has no room for another
 * one, whoever wants it waits for one that the pool has.
 */
export class ConnectionPool extends pg.Pool {
  readonly #gate: Gate
  readonly #most: number
  readonly #onNoRoom: () => void
  /** Why there are fewer connections than the pool may have, and when it asks for another one. */
  #lack: { error: unknown; askAt: number } | undefined

  constructor({ onNoRoom = () => {}, ...options }: ConnectionPoolOptions) {
    const gate: Gate = {
      clients: new Set(),
      opening: new Set(),
      open: new Set(),
      refusal: undefined,
    }
    super({ ...options, Client: gatedClient(gate) })
    this.#gate = gate
    this.#most = this.options.max
    this.#onNoRoom = onNoRoom
    // A connection that ends while nothing uses it is replaced by the next use.
    this.on('error', () => undefined)
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Acquired): void
  override connect(callback?: Acquired): Promise<pg.PoolClient> | void {
    const acquired = this.#acquire()
    if (callback === undefined) return acquired
    acquired.then(
      (client) => callback(undefined, client, client.release),
      (error: unknown) => callback(toError(error), undefined, () => undefined),
    )
  }

  /** Ends every connection, and opens no other: what waits fails with this error, and what comes too. */
  refuse(error: Error): void {
    this.#gate.refusal = error
    for (const { connection } of this.#gate.clients) connection.stream.destroy(error)
  }

  /** Opens connections again. */
  allow(): void {
    this.#gate.refusal = undefined
  }

  /** Waits for what is under way, then closes every connection, also where the server is silent. */
  async close(): Promise<void> {
    await this.end()
    await Promise.all(Array.from(this.#gate.clients, closeClient))
  }

  async #acquire(): Promise<pg.PoolClient> {
    this.#askAgain()
    try {
      return await super.connect()
    } catch (error) {
      if (codeOf(error) !== NO_ROOM) throw this.#explain(error)
      this.#onNoRoom()
      await Promise.allSettled(this.#gate.opening)
      const { size } = this.#gate.open
      if (size === 0) throw error
      this.options.max = size
      this.#lack = { error, askAt: performance.now() + ASK_MILLISECONDS }
    }
    try {
      return await super.connect()
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** Allows one more connection when it is time for it. */
  #askAgain(): void {
    if (this.#lack === undefined || performance.now() < this.#lack.askAt) return
    if (this.totalCount >= this.options.max) this.options.max++
    if (this.options.max >= this.#most) this.#lack = undefined
    else this.#lack.askAt = performance.now() + ASK_MILLISECONDS
  }

  /** Whoever has waited in vain for one of few connections hears why there are few. */
  #explain(error: unknown): unknown {
    return WAITED.test(toError(error).message) ? (this.#lack?.error ?? error) : error
  }
}

/** SQLSTATE of a server, a database or a role that has as many connections as it may have. */
const NO_ROOM = '53300'

/** The text of `pg` where no connection of a pool became free within its `connectionTimeoutMillis`. */
const WAITED = /timeout exceeded when trying to connect/

type Acquired = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

type Connected = (error: Error | null, client?: pg.Client) => void

function gatedClient(gate: Gate): new (options?: pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super(options)
      // One that ends while it is used fails the statements that are under way, and later ones.
      this.on('error', () => undefined)
      this.once('end', () => {
        gate.clients.delete(this)
        gate.open.delete(this)
      })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | void {
      const connected = this.#connect().finally(() => gate.opening.delete(connected))
      gate.opening.add(connected)
      if (callback === undefined) return connected
      connected.then(
        (client) => callback(null, client),
        (error: Error) => callback(error),
      )
    }

    async #connect(): Promise<pg.Client> {
      if (gate.refusal !== undefined) throw gate.refusal
      gate.clients.add(this)
      try {
        const client = await super.connect()
        gate.open.add(this)
        return client
      } catch (error) {
        // Whatever keeps it from connecting, the database cannot serve.
        throw isUnavailable(error) ? error : new NotConnectedError(error)
      }
    }
  }
}
