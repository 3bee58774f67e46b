import type {
  IncomingMessage,
  RequestListener,
  Server as HttpServer,
  ServerResponse,
} from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { IdleConnections } from '../security/idle-connections.ts'
import { interceptRequests } from './intercept-requests.ts'

/** Requests of a connection that wait for the response before them; further ones are refused. */
const WAITING = 256

/**
 * Handles the pipelined requests of each connection one after another: the next one when the whole
 * response before it was sent. While requests wait the connection is not read.
 *
 * Called after all other listeners are added, it runs before them.
 */
export function queueRequests(server: HttpServer | HttpsServer, idle: IdleConnections): void {
  const queues = new WeakMap<Socket, RequestQueue>()
  interceptRequests(server, (next) => {
    const handle: RequestListener = (request, response) => {
      idle.announceLimit(request, response)
      next(request, response)
    }
    return (request, response) => {
      const { socket } = request
      let queue = queues.get(socket)
      if (queue === undefined) {
        const refuse = (error: Error) => server.emit('clientError', error, socket)
        queue = new RequestQueue(socket, { handle, refuse, limitIdle: () => idle.limit(socket) })
        queues.set(socket, queue)
      }
      queue.add(request, response)
    }
  })
}

type QueueActions = { handle: RequestListener; refuse(error: Error): void; limitIdle(): void }

class RequestQueue {
  readonly #socket: Socket
  readonly #actions: QueueActions
  #current: ServerResponse | undefined
  #waiting: [IncomingMessage, ServerResponse][] = []
  #isRefused = false
  #isPaused = false

  constructor(socket: Socket, actions: QueueActions) {
    this.#socket = socket
    this.#actions = actions
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isRefused) return
    if (this.#current === undefined) return this.#begin(request, response)
    if (this.#waiting.length >= WAITING) {
      this.#isRefused = true
      this.#waiting = []
      const error = new Error('too many requests are sent ahead')
      return this.#actions.refuse(Object.assign(error, { code: 'HPE_PAUSED' }))
    }
    this.#waiting.push([request, response])
    this.#pause()
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response
    const end = (): void => this.#end(response)
    response.once('finish', end)
    response.once('close', end)
    this.#actions.handle(request, response)
  }

  #end(response: ServerResponse): void {
    if (this.#current !== response) return
    this.#current = undefined
    if (this.#socket.destroyed) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#begin(...next)
    if (this.#waiting.length > 0) this.#pause()
    else this.#resume()
    if (this.#current === undefined) this.#actions.limitIdle()
  }

  /** Node resumes the socket one tick after each response, so it is paused again after that. */
  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
    setImmediate(() => {
      if (this.#isPaused && !this.#socket.destroyed) this.#socket.pause()
    })
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }
}
