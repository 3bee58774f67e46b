import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { contentHeaders } from './content-headers.ts'

/** Bytes are sent in parts, of which a client that does not read keeps one in memory. */
const PART_BYTES = 64 * 1024

/** Sends bytes as the client reads, without compression. */
export function sendBytes(reply: FastifyReply, type: string, bytes: Uint8Array): FastifyReply {
  void reply.headers(contentHeaders({ type, length: bytes.length }))
  return reply.send(Readable.from(partsOf(bytes), { objectMode: false }))
}

/** Sends texts as the client reads. */
export const sendTexts = (
  reply: FastifyReply,
  type: string,
  texts: AsyncIterable<string>,
): FastifyReply =>
  reply.header('content-type', type).send(Readable.from(texts, { objectMode: false }))

/** The parts of bytes, without a copy. */
export function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}
