import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ResponseHeaders } from './content-headers.ts'

/**
 * Gives every response of a server its headers, and closes the connection of a client that reads
 * nothing for as long as the server's timeout.
 *
 * Called when all other listeners are there: this one goes first.
 */
export function guardResponses(server: HttpServer | HttpsServer, headers: ResponseHeaders): void {
  const safe = Object.entries(headers).filter((entry) => entry[1] !== undefined)
  const stalled = new StalledClients()
  const guard = (_request: unknown, response: ServerResponse): void => {
    for (const [name, value = ''] of safe) response.setHeader(name, value)
    response.on('timeout', (socket: Socket) => stalled.check(response, socket))
    response.socket?.setTimeout(Math.ceil(server.timeout / QUIET_ROUNDS))
  }
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, guard)
}

/**
 * Node checks once in a timeout whether anything was read since, so the first check is one to two of
 * them after the last byte: short ones in succession come near to what is meant.
 */
const QUIET_ROUNDS = 6

/** Closes connections whose client has read nothing for several timeouts in succession. */
class StalledClients {
  /** For how many timeouts nothing was read, and when the last one ended. */
  readonly #quiet = new WeakMap<Socket, { rounds: number; at: number }>()

  /** While nothing waits to be read the response is still being made, and the client has to wait. */
  check(response: ServerResponse, socket: Socket): void {
    const milliseconds = socket.timeout ?? 0
    const isStalled = socket.writableLength > 0 || response.writableLength > 0
    if (!isStalled) this.#quiet.delete(socket)
    else if (this.#countRounds(socket, milliseconds) >= QUIET_ROUNDS - 1)
      return void socket.destroy()
    socket.setTimeout(milliseconds)
  }

  #countRounds(socket: Socket, milliseconds: number): number {
    const at = performance.now()
    const before = this.#quiet.get(socket)
    // One that has lasted longer began anew in the middle.
    const isNext = before !== undefined && at - before.at < 1.5 * milliseconds
    const rounds = isNext ? before.rounds + 1 : 1
    this.#quiet.set(socket, { rounds, at })
    return rounds
  }
}
