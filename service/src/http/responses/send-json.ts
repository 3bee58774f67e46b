import type { FastifyReply } from 'fastify'
import { logFailure } from './error-responses.ts'
import { writeJson, type JsonChunks } from './write-json.ts'

/** Sends JSON made in chunks as a route's response; until the first byte an error is the caller's. */
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
    report: (error: unknown) => logFailure(reply.log, error, 'a response was cut off'),
  }
  await writeJson(
    recipient,
    'plain' in chunks ? chunks : { plain: () => chunks, gzip: () => chunks },
  )
  return reply
}
