import type { OutgoingHttpHeaders, Server as HttpServer, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'

/** What every answer says to browsers and caches besides its content. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The headers of every answer; `hstsSeconds` 0 leaves browsers the choice of the protocol. */
export const safeHeaders = (hstsSeconds: number): Readonly<Record<string, string>> =>
  hstsSeconds === 0
    ? HEADERS
    : { ...HEADERS, 'strict-transport-security': `max-age=${hstsSeconds}` }

/**
 * Gives every answer of a server its safe headers, whoever writes it, and closes the connection of
 * a reader that takes nothing for as long as the server's timeout.
 *
 * Called once all other listeners are there: this one goes first.
 */
export function guardResponses(
  server: HttpServer | HttpsServer,
  headers: OutgoingHttpHeaders,
): void {
  const guard = (_request: unknown, response: ServerResponse): void => {
    for (const name in headers) response.setHeader(name, headers[name]!)
    response.on('timeout', closeStalled)
    response.socket?.setTimeout(Math.ceil(server.timeout / QUIET_ROUNDS))
  }
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, guard)
}

/**
 * Node looks once in a timeout whether anything was taken since, so the first look is one to two of
 * them after the last byte: short ones in succession come near to what is meant.
 */
const QUIET_ROUNDS = 6

/** How often in succession a socket has taken nothing, and when that was seen last. */
const quiet = new WeakMap<Socket, { rounds: number; at: number }>()

/** While nothing waits to be taken the answer is still being made, and the client has to wait. */
function closeStalled(this: ServerResponse, socket: Socket): void {
  const milliseconds = socket.timeout ?? 0
  const isStalled = socket.writableLength > 0 || this.writableLength > 0
  if (!isStalled) quiet.delete(socket)
  else if (countRounds(socket, milliseconds) >= QUIET_ROUNDS - 1) return void socket.destroy()
  socket.setTimeout(milliseconds)
}

function countRounds(socket: Socket, milliseconds: number): number {
  const at = performance.now()
  const before = quiet.get(socket)
  // One that has lasted longer began anew in the middle.
  const isNext = before !== undefined && at - before.at < 1.5 * milliseconds
  const rounds = isNext ? before.rounds + 1 : 1
  quiet.set(socket, { rounds, at })
  return rounds
}
