import type { FastifyInstance } from 'fastify'
import { acceptsGzip } from './accepts-gzip.ts'
import { GzipPool } from './gzip-pool.ts'

/**
 * Compresses every whole answer for clients that take gzip, however small: the interface shows the
 * token answer compressed. The work is done on the thread pool. Long answers see to it themselves.
 */
export function installCompression(app: FastifyInstance): void {
  const pool = new GzipPool()
  app.addHook('onSend', async (request, reply, payload) => {
    if (payload === undefined || payload === null || payload === '') return payload
    void reply.header('vary', 'accept-encoding')
    if (reply.hasHeader('content-encoding')) return payload
    if (!acceptsGzip(request.headers['accept-encoding'])) return payload

    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
    const body = await pool.compress(payload)
    void reply.header('content-encoding', 'gzip').header('content-length', body.length)
    return body
  })
}
