import type { FastifyInstance } from 'fastify'
import { acceptsGzip } from './accepts-gzip.ts'
import { gzipWhole } from './gzip-member.ts'

/**
 * Sends every other answer as gzip to clients that take it, however small: the interface shows the
 * token answer so. Answers made of records see to it themselves.
 */
export function installCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (payload === undefined || payload === null || payload === '') return payload
    void reply.header('vary', 'accept-encoding')
    if (reply.hasHeader('content-encoding')) return payload
    if (!acceptsGzip(request.headers['accept-encoding'])) return payload

    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
    const body = await gzipWhole(payload)
    void reply.header('content-encoding', 'gzip').header('content-length', body.length)
    return body
  })
}
