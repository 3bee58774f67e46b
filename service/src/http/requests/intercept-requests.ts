import type { RequestListener, Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'

/**
 * Replaces the request listeners of a server by one that decides when `next` is called, which calls
 * the listeners that were there.
 */
export function interceptRequests(
  server: HttpServer | HttpsServer,
  intercept: (next: RequestListener) => RequestListener,
): void {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on(
    'request',
    intercept((request, response) => {
      for (const listener of listeners) Reflect.apply(listener, server, [request, response])
    }),
  )
}
