import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const IDLE_SECONDS = 5

/** The header `keep-alive` of responses to unknown clients. */
export const IDLE_LIMIT = `timeout=${IDLE_SECONDS}`

/** Closes connections of unknown clients after 5 seconds without a request. */
export class IdleConnections {
  readonly #authenticated = new WeakSet<Socket>()

  /** Exempts the connection of an authenticated client from the limit. */
  keep(request: IncomingMessage, response: ServerResponse): void {
    this.#authenticated.add(request.socket)
    if (!response.headersSent) response.removeHeader('keep-alive')
  }

  /** Sets the header that announces the limit. */
  announceLimit(request: IncomingMessage, response: ServerResponse): void {
    if (response.shouldKeepAlive && !this.#authenticated.has(request.socket))
      response.setHeader('keep-alive', IDLE_LIMIT)
  }

  /** Starts the limit when all requests of a connection have their responses. */
  limit(socket: Socket): void {
    if (!this.#authenticated.has(socket) && !socket.destroyed)
      socket.setTimeout(IDLE_SECONDS * 1000)
  }
}
