import type {
  IncomingMessage,
  RequestListener,
  Server as HttpServer,
  ServerResponse,
} from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { announceIdleLimit, limitIdle } from '../security/connection-limits.ts'

/** Requests that wait for their turn; a client that sends more ahead is refused. */
const WAITING = 256

/**
 * Bounds the cost of requests that a client sends ahead of the responses: one is handled at a time,
 * the next when all of its response was sent, some wait, and meanwhile nothing is read.
 *
 * Called once all other listeners are there: it goes before them.
 */
export function queueRequests(server: HttpServer | HttpsServer): void {
  const theirs = server.listeners('request') as RequestListener[]
  const handle: RequestListener = (request, response) => {
    announceIdleLimit(request, response)
    for (const listener of theirs) Reflect.apply(listener, server, [request, response])
  }
  const queues = new WeakMap<Socket, RequestQueue>()
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    let queue = queues.get(socket)
    if (queue === undefined) {
      queue = new RequestQueue(socket, handle, (error) => server.emit('clientError', error, socket))
      queues.set(socket, queue)
    }
    queue.add(request, response)
  })
}

class RequestQueue {
  readonly #socket: Socket
  readonly #handle: RequestListener
  readonly #refuse: (error: Error) => void
  #underWay: ServerResponse | undefined
  #waiting: [IncomingMessage, ServerResponse][] = []
  #isRefused = false
  #isPaused = false

  constructor(socket: Socket, handle: RequestListener, refuse: (error: Error) => void) {
    this.#socket = socket
    this.#handle = handle
    this.#refuse = refuse
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isRefused) return
    if (this.#underWay === undefined) return this.#begin(request, response)
    if (this.#waiting.length >= WAITING) {
      this.#isRefused = true
      this.#waiting = []
      const error = new Error('too many requests are sent ahead')
      return this.#refuse(Object.assign(error, { code: 'HPE_PAUSED' }))
    }
    this.#waiting.push([request, response])
    this.#pause()
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay = response
    const end = (): void => this.#end(response)
    response.once('finish', end)
    response.once('close', end)
    this.#handle(request, response)
  }

  #end(response: ServerResponse): void {
    if (this.#underWay !== response) return
    this.#underWay = undefined
    if (this.#socket.destroyed) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#begin(...next)
    if (this.#waiting.length > 0) this.#pause()
    else this.#goOn()
    if (this.#underWay === undefined) limitIdle(this.#socket)
  }

  /** Node reads on at the end of each answer, a tick later: the pause comes after it. */
  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
    setImmediate(() => {
      if (this.#isPaused && !this.#socket.destroyed) this.#socket.pause()
    })
  }

  #goOn(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }
}
