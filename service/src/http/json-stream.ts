import type { FastifyReply } from 'fastify'
import { acceptsGzip } from './accepts-gzip.ts'
import { PlainBody, type AnswerBody } from './answer-body.ts'
import { GzipMember } from './gzip-member.ts'
import { LongAnswer } from './long-answer.ts'
import { release } from './release.ts'
import type { DeflatedText } from '../storage/storage.ts'

/** Up to here an answer is gathered and sent whole, with its length. */
const WHOLE_BYTES = 128 * 1024

/** So much of a longer answer is sent at once. */
const PART_BYTES = 64 * 1024

type Text = string | Uint8Array

/** The pieces of an answer: only a client that takes gzip may be given compressed ones. */
export type JsonPieces = {
  plain(): AsyncIterable<Text>
  gzip(): AsyncIterable<Text | DeflatedText>
}

/** Sends JSON made in pieces: small answers whole, large ones as fast as the client reads. */
export function sendJson(
  reply: FastifyReply,
  pieces: AsyncIterable<Text> | JsonPieces,
): Promise<FastifyReply> {
  const { plain, gzip } = 'plain' in pieces ? pieces : { plain: () => pieces, gzip: () => pieces }
  return acceptsGzip(reply.request.headers['accept-encoding'])
    ? send(reply, gzip(), new GzipMember())
    : send(reply, plain(), new PlainBody())
}

/** Until the first byte is sent an error is the caller's; after it the answer is cut off. */
async function send<Piece>(
  reply: FastifyReply,
  pieces: AsyncIterable<Piece>,
  body: AnswerBody<Piece>,
): Promise<FastifyReply> {
  let long: LongAnswer | undefined
  try {
    for await (const piece of pieces) {
      await body.add(piece)
      if (body.bytes < (long === undefined ? WHOLE_BYTES : PART_BYTES)) continue
      long ??= new LongAnswer(announce(reply, body.coding))
      if (!(await long.send(body.take()))) return long.abandon()
    }
    await body.end()
    if (long === undefined) return announce(reply, body.coding).send(join(body.take(), reply))
    return (await long.send(body.take())) ? long.end() : long.abandon()
  } catch (error) {
    if (long === undefined) throw error
    reply.log.error({ err: error }, 'an answer was cut off')
    return long.abandon()
  }
}

function announce(reply: FastifyReply, coding: AnswerBody<never>['coding']): FastifyReply {
  if (coding !== 'identity') void reply.header('content-encoding', coding)
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('vary', 'accept-encoding')
}

/** One buffer of all parts; they and it are given back as soon as they have served. */
function join(parts: readonly Uint8Array[], { raw }: FastifyReply): Uint8Array {
  const whole = Buffer.concat(parts)
  for (const part of parts) release(part)
  raw.once('finish', () => release(whole))
  return whole
}
