import { Readable, pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { GZIP_SETTINGS, GzipPool } from './gzip-pool.ts'

/**
 * Compresses every answer for clients that take gzip, however small: the interface shows the
 * token answer compressed. The work is done on the thread pool.
 */
export function installCompression(app: FastifyInstance): void {
  const pool = new GzipPool()
  app.addHook('onSend', async (request, reply, payload) => {
    if (payload === undefined || payload === null || payload === '') return payload
    void reply.header('vary', 'accept-encoding')
    if (reply.hasHeader('content-encoding')) return payload
    if (!acceptsGzip(request.headers['accept-encoding'])) return payload

    if (payload instanceof Readable) {
      void reply.header('content-encoding', 'gzip').removeHeader('content-length')
      // The pipeline ends both when either fails; the answer is cut and the client sees that.
      return pipeline(payload, createGzip(GZIP_SETTINGS), () => {})
    }
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
    const body = await pool.compress(payload)
    void reply.header('content-encoding', 'gzip').header('content-length', body.length)
    return body
  })
}

/** RFC 9110, 12.5.3: gzip by name or by `*`, unless its weight is zero. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  if (header === 'gzip') return true
  let weight: number | undefined
  for (const part of String(header).toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const value = given === undefined ? 1 : Number(given.slice(2))
    if (coding === 'gzip' || coding === 'x-gzip') return value > 0
    if (coding === '*') weight = value
  }
  return weight !== undefined && weight > 0
}
