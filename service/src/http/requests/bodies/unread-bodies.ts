import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusedError } from '../../../errors/refused-error.ts'
import { readLength } from './receive-body.ts'

/** A body that says it is no longer than this is read and thrown away, and the connection stays. */
const SMALL_BYTES = 64 * 1024

/** So much of any other is thrown away; beyond that its sender is not listened to. */
const DRAINED_BYTES = 4 * 1024 * 1024

/** A client that was answered before it had sent everything has so long to see it. */
const LINGER_MILLISECONDS = 500

const continued = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Answers requests that are refused before their body is read, so that a client that is still
 * sending sees the answer and one that goes on sending costs next to nothing.
 */
export function installUnreadBodies(app: FastifyInstance): void {
  // Without this Node tells every client to go on, whoever it is and wherever it wants to go.
  app.server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    continued.set(message, response)
    app.server.emit('request', message, response)
  })
  app.addHook('onRequest', refuseUnknownPath)
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isUnread(request.raw)) return payload
    void reply.header('connection', 'close')
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array
    if (!isWhole || request.method === 'HEAD') return payload
    void reply.header('content-length', Buffer.byteLength(payload))
    return Readable.from(withDrain(payload, request.raw), { objectMode: false })
  })
}

/** Lets a client that asked for it (`Expect: 100-continue`) send its body. */
export function askForBody(message: IncomingMessage): void {
  continued.get(message)?.writeContinue()
  continued.delete(message)
}

async function refuseUnknownPath(request: FastifyRequest): Promise<void> {
  if (request.is404) throw new RefusedError('absent', 'There is nothing at this path.')
}

/** Whether more may be coming than is worth reading to keep the connection. */
function isUnread(message: IncomingMessage): boolean {
  if (message.complete) return false
  const length = readLength(message)
  if (length === undefined && message.headers['transfer-encoding'] === undefined) return false
  return length === undefined || length > SMALL_BYTES || continued.has(message)
}

/** The answer, and its end only when the body has ended too, or its time is over. */
async function* withDrain(payload: string | Uint8Array, message: IncomingMessage) {
  yield payload
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, LINGER_MILLISECONDS)
  let drained = 0
  const drain = (chunk: Uint8Array): void => {
    drained += chunk.length
    if (drained > DRAINED_BYTES) message.pause()
  }
  message.on('data', drain).once('end', resolve).once('close', resolve).resume()
  await promise
  clearTimeout(timer)
  message.off('data', drain).off('end', resolve).off('close', resolve)
}
