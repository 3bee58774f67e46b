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
export function guardAnswers(server: HttpServer | HttpsServer, headers: OutgoingHttpHeaders): void {
  const guard = (_request: unknown, response: ServerResponse): void => {
    for (const name in headers) response.setHeader(name, headers[name]!)
    response.on('timeout', closeStalled)
  }
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, guard)
}

/** While nothing waits to be taken the answer is still being made, and the client has to wait. */
function closeStalled(this: ServerResponse, socket: Socket): void {
  if (socket.writableLength > 0 || this.writableLength > 0) socket.destroy()
  else socket.setTimeout(socket.timeout ?? 0)
}
