import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusedError } from '../../../errors/refused-error.ts'
import { readLength } from './receive-body.ts'

/** A body up to this `Content-Length` is read and discarded, and its connection stays open. */
const SMALL_BYTES = 64 * 1024

/** Bytes of any other body that are discarded before the connection is no longer read. */
const DRAINED_BYTES = 4 * 1024 * 1024

/** How long a client that is still sending its body may take to read the response. */
const LINGER_MILLISECONDS = 500

/**
 * Responds to requests that are refused before their body is read: a client that is still sending
 * receives the response, and one that sends on and on costs little.
 */
export class UnreadBodies {
  /** Responses to requests with `Expect: 100-continue` whose client waits to send the body. */
  readonly #expecting = new WeakMap<IncomingMessage, ServerResponse>()

  install(app: FastifyInstance): void {
    // Without a listener Node sends 100 before path and permission are checked.
    app.server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
      this.#expecting.set(message, response)
      app.server.emit('request', message, response)
    })
    app.addHook('onRequest', refuseUnknownPath)
    app.addHook('onSend', async (request, reply, payload) => {
      if (!this.#isUnread(request.raw)) return payload
      void reply.header('connection', 'close')
      const isWhole = typeof payload === 'string' || payload instanceof Uint8Array
      if (!isWhole || request.method === 'HEAD') return payload
      void reply.header('content-length', Buffer.byteLength(payload))
      return Readable.from(sendAndDrain(payload, request.raw), { objectMode: false })
    })
  }

  /** Sends `100 Continue` to a client that waits for it before it sends the body. */
  continue(message: IncomingMessage): void {
    this.#expecting.get(message)?.writeContinue()
    this.#expecting.delete(message)
  }

  /** Whether more of the body may follow than is worth reading to keep the connection. */
  #isUnread(message: IncomingMessage): boolean {
    if (message.complete) return false
    const length = readLength(message)
    if (length === undefined && message.headers['transfer-encoding'] === undefined) return false
    return length === undefined || length > SMALL_BYTES || this.#expecting.has(message)
  }
}

async function refuseUnknownPath(request: FastifyRequest): Promise<void> {
  if (request.is404) throw new RefusedError('absent', 'There is nothing at this path.')
}

/** The response, which ends when the body has ended or after `LINGER_MILLISECONDS`. */
async function* sendAndDrain(payload: string | Uint8Array, message: IncomingMessage) {
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
