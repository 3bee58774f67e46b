import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { networkMatcher } from '../../domain/access/network-matcher.ts'
import type { RequestEnd, Tracing } from '../../tracing/tracing.ts'
import type { ResponseObservers } from '../responses/response-observers.ts'
import { connectionAddress } from './connection-address.ts'
import { interceptRequests } from './intercept-requests.ts'

/**
 * Records each request as a span.
 *
 * Only trusted proxies may say which trace a request belongs to: others could have every request traced.
 */
export function traceRequests(
  server: HttpServer | HttpsServer,
  tracing: Tracing,
  responses: ResponseObservers,
  trustedProxies: readonly string[],
): void {
  const isProxy = networkMatcher(trustedProxies)
  const ends = new WeakMap<ServerResponse, (ended: RequestEnd) => void>()
  responses.observe((ended, response) => ends.get(response)?.(ended))
  interceptRequests(server, (next) => (request, response) => {
    const { traceparent } = request.headers
    const isTrusted = isProxy(connectionAddress(request.socket))
    tracing.request(isTrusted ? traceparent?.toString() : undefined, (end) => {
      ends.set(response, end)
      next(request, response)
    })
  })
}
