import type { FastifyReply } from 'fastify'
import { CUT_OFF, logFailure } from './error-responses.ts'
import { writeJson, type JsonChunks } from './write-json.ts'

/**
 * Sends JSON made in chunks as the response of a route. Rejects on an error before the first byte;
 * later errors cut the response off.
 */
export async function sendJson(
  reply: FastifyReply,
  chunks: AsyncIterable<string | Uint8Array> | JsonChunks,
): Promise<FastifyReply> {
  const recipient = {
    response: reply.raw,
    acceptEncoding: reply.request.headers['accept-encoding'],
    pool: reply.server.deflatePool,
    headers: reply.getHeaders(),
    begin: () => void reply.hijack(),
    report: (error: unknown) => logFailure(reply.log, error, CUT_OFF),
  }
  await writeJson(
    recipient,
    'plain' in chunks ? chunks : { plain: () => chunks, gzip: () => chunks },
  )
  return reply
}
