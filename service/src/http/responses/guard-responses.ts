import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ResponseHeaders } from './content-headers.ts'

/**
 * Sets headers of every response of a server, and closes the connection of a client that reads
 * nothing for the server's timeout.
 *
 * Called after all other listeners are added, it runs before them.
 */
export function guardResponses(server: HttpServer | HttpsServer, headers: ResponseHeaders): void {
  const safe = Object.entries(headers).filter((entry) => entry[1] !== undefined)
  const stalled = new StalledClients()
  const guard = (_request: unknown, response: ServerResponse): void => {
    for (const [name, value = ''] of safe) response.setHeader(name, value)
    response.on('timeout', (socket: Socket) => stalled.check(response, socket))
    response.socket?.setTimeout(Math.ceil(server.timeout / STALLED_ROUNDS))
  }
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, guard)
}

/**
 * Node emits `timeout` one to two timeouts after the last byte was read. Several short timeouts in
 * succession measure the time more exactly than one long one.
 */
const STALLED_ROUNDS = 6

/** Closes the connection of a client that reads nothing for several timeouts in succession. */
class StalledClients {
  /** For how many timeouts a client read nothing, and when the last one ended. */
  readonly #stalled = new WeakMap<Socket, { rounds: number; at: number }>()

  /** Without bytes to read the response is still being made, and its client is not stalled. */
  check(response: ServerResponse, socket: Socket): void {
    const milliseconds = socket.timeout ?? 0
    const isStalled = socket.writableLength > 0 || response.writableLength > 0
    if (!isStalled) this.#stalled.delete(socket)
    else if (this.#countRounds(socket, milliseconds) >= STALLED_ROUNDS - 1)
      return void socket.destroy()
    socket.setTimeout(milliseconds)
  }

  #countRounds(socket: Socket, milliseconds: number): number {
    const at = performance.now()
    const before = this.#stalled.get(socket)
    // After a longer time the client has read in between.
    const isNext = before !== undefined && at - before.at < 1.5 * milliseconds
    const rounds = isNext ? before.rounds + 1 : 1
    this.#stalled.set(socket, { rounds, at })
    return rounds
  }
}
