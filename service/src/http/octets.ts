import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { RefusedError } from '../domain/refused-error.ts'

/** Bytes that are no text, in memory of their own. */
export class Octets {
  readonly bytes: Uint8Array<ArrayBuffer>
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes
  }
}

/** So much memory a body gets at first that does not say how long it is. */
const FIRST_BYTES = 64 * 1024

/** Lets the routes of an app get bytes as they are; elsewhere `octet-stream` is a name for JSON. */
export function readOctets(app: FastifyInstance): void {
  const { bodyLimit } = app.initialConfig
  app.addContentTypeParser(
    /^application\/octet-stream/i,
    async (request: FastifyRequest, payload: RequestPayload) =>
      new Octets(await gather(payload, lengthOf(request), bodyLimit!)),
  )
}

/** What Content-Length says; undefined where nobody says it. */
function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/**
 * Reads a body to its end, refusing what is longer than `most` or not as long as `said`.
 *
 * Each piece is put in its place as it comes: to join all of a large body at its end would keep
 * other requests waiting, 30 to 50 ms for 50 MB.
 */
async function gather(
  payload: RequestPayload,
  said: number | undefined,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (said !== undefined && said > most) throw tooLarge(payload)
  const counted = payload as RequestPayload & { receivedEncodedLength?: number }
  let memory = new ArrayBuffer((counted.receivedEncodedLength === undefined && said) || FIRST_BYTES)
  let length = 0
  for await (const piece of piecesOf(payload)) {
    const end = length + piece.length
    if (end > most || (counted.receivedEncodedLength ?? 0) > most) throw tooLarge(payload)
    if (end > memory.byteLength) memory = memory.transfer(Math.max(end, 2 * memory.byteLength))
    new Uint8Array(memory).set(piece, length)
    length = end
  }
  if (said !== undefined && (counted.receivedEncodedLength || length) !== said)
    throw new RefusedError('invalid', 'the body is not as long as Content-Length says')
  return new Uint8Array(length === memory.byteLength ? memory : memory.transfer(length))
}

/** The rest is read and thrown away: a client that is still sending would not see the answer. */
function tooLarge(payload: RequestPayload): RefusedError {
  payload.resume()
  return new RefusedError('tooLarge', 'the body is larger than this service accepts')
}

/** The pieces of a body; one that breaks off or cannot be inflated is the sender's fault. */
async function* piecesOf(payload: RequestPayload): AsyncGenerator<Uint8Array> {
  try {
    yield* payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new RefusedError('invalid', 'the request is not well-formed', { cause: error })
  }
}
