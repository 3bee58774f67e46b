import pg from 'pg'
import { closeClient } from './close-client.ts'
import { isUnavailable, NotConnectedError } from './postgres-errors.ts'

/** The connections of a pool, and why no other one may be opened. */
type Gate = { clients: Set<pg.Client>; refusal: Error | undefined }

/** A pool of `pg` whose connections can all be ended at once. */
export class ConnectionPool extends pg.Pool {
  readonly #gate: Gate

  constructor(options: pg.PoolConfig) {
    const gate: Gate = { clients: new Set(), refusal: undefined }
    super({ ...options, Client: gatedClient(gate) })
    this.#gate = gate
    // A connection that ends while nothing uses it is replaced by the next use.
    this.on('error', () => undefined)
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
}

type Connected = (error: Error | null, client?: pg.Client) => void

function gatedClient(gate: Gate): new (options?: pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super(options)
      // One that ends while it is used fails the statements that are under way, and later ones.
      this.on('error', () => undefined)
      this.once('end', () => gate.clients.delete(this))
    }

    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | void {
      const connected = this.#connect()
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
        return await super.connect()
      } catch (error) {
        // Whatever keeps it from connecting, the database cannot serve.
        throw isUnavailable(error) ? error : new NotConnectedError(error)
      }
    }
  }
}
