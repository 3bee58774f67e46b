import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { logFailure } from './errors.ts'
import { writeJson, type JsonPieces } from './write-json.ts'

type Text = string | Uint8Array

/** Sends JSON made in pieces as a route's answer; until the first byte an error is the caller's. */
export async function sendJson(
  reply: FastifyReply,
  pieces: AsyncIterable<Text> | JsonPieces,
): Promise<FastifyReply> {
  const recipient = {
    response: reply.raw,
    acceptEncoding: reply.request.headers['accept-encoding'],
    headers: reply.getHeaders() as OutgoingHttpHeaders,
    begin: () => void reply.hijack(),
    report: (error: unknown) => logFailure(reply.log, error, 'an answer was cut off'),
  }
  await writeJson(
    recipient,
    'plain' in pieces ? pieces : { plain: () => pieces, gzip: () => pieces },
  )
  return reply
}
