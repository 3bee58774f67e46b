import type { FastifyReply } from 'fastify'
import { sendLong } from './long-answer.ts'
import { release } from './release.ts'

/** Up to here an answer is gathered and sent whole, with its length. */
const WHOLE_BYTES = 128 * 1024

/** Sends JSON made in pieces: small answers whole, large ones as fast as the client reads. */
export async function sendJson(
  reply: FastifyReply,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> {
  void reply.header('content-type', 'application/json; charset=utf-8')
  const iterator = pieces[Symbol.asyncIterator]()
  const gathered: Uint8Array[] = []
  let bytes = 0
  while (bytes <= WHOLE_BYTES) {
    const { done, value } = await iterator.next()
    if (done === true) return reply.send(join(gathered, reply))
    const piece = toBytes(value)
    gathered.push(piece)
    bytes += piece.length
  }
  return sendLong(reply, continueWith(gathered, iterator))
}

/** One buffer of all pieces; both are given back as soon as they have served. */
function join(pieces: readonly Uint8Array[], { raw }: FastifyReply): Uint8Array {
  const whole = Buffer.concat(pieces)
  for (const piece of pieces) release(piece)
  raw.once('finish', () => release(whole))
  return whole
}

async function* continueWith(
  gathered: Uint8Array[],
  iterator: AsyncIterator<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  // Nobody holds on to a piece that was given away.
  yield* gathered.splice(0)
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
    yield toBytes(next.value)
}

const toBytes = (piece: string | Uint8Array): Uint8Array =>
  typeof piece === 'string' ? Buffer.from(piece) : piece
