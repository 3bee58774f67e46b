import type { FastifyInstance } from 'fastify'
import { codingFor, contentHeaders } from './content-headers.ts'
import type { DeflatePool } from '../../encodings/deflate-pool.ts'
import { gzipWhole } from './gzip-member.ts'

/**
 * Compresses every response that a route returns as a value, of any size: the interface shows the
 * token response with gzip. Streamed responses compress themselves.
 */
export function installCompression(app: FastifyInstance, pool: DeflatePool): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (payload === undefined || payload === null || payload === '') return payload
    const coding = codingFor(request.headers['accept-encoding'])
    void reply.headers(contentHeaders({ coding: 'identity' }))
    if (coding === 'identity' || reply.hasHeader('content-encoding')) return payload
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload

    const body = await gzipWhole(payload, pool)
    void reply.headers(contentHeaders({ coding, length: body.length }))
    return body
  })
}
