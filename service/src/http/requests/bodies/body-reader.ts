import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusedError } from '../../../errors/refused-error.ts'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { JsonScan, type JsonLimits } from '../../../json/json-scan.ts'
import { readJson } from '../../../json/read-json.ts'
import type { BodyBudget, BodyLease } from './body-budget.ts'
import { readForm } from './read-form.ts'
import { readLines } from './read-lines.ts'
import { toText } from './to-text.ts'
import { receiveBody } from './receive-body.ts'
import { askForBody } from './unread-bodies.ts'

export type BodySettings = {
  budget: BodyBudget
  /** Unpacked bytes for each byte that was sent. */
  ratio: number
  json: JsonLimits
}

/**
 * Above this bodies are parsed and stored one after the other: as records each takes many times its
 * own bytes of memory.
 */
const LARGE_BYTES = 256 * 1024

export type ReadOptions = {
  /** Sees each piece as it comes, and may refuse it. */
  look?: (piece: Uint8Array) => void
  /** Large ones need not wait for each other. */
  isParsedElsewhere?: boolean
}

type Held = { lease: BodyLease; isHandled: boolean }

/** Reads bodies as clients really send them: empty JSON, forms with blanks around, gzip. */
export class BodyReader {
  readonly #settings: BodySettings
  /** Bodies of which one is parsed and stored at a time. */
  readonly #large = new SerialQueue()
  readonly #held = new WeakMap<FastifyRequest, Held>()
  /** Requests whose answer is over, or whose client has gone. */
  readonly #over = new WeakSet<FastifyRequest>()

  constructor(settings: BodySettings) {
    this.#settings = settings
  }

  /** Parses the bodies of all routes that are added from now on, unless these do it themselves. */
  install(app: FastifyInstance): void {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(/^application\/x-www-form-urlencoded/i, (request: FastifyRequest) =>
      this.read(request, (bytes) => readForm(toText(bytes))),
    )
    app.addContentTypeParser(
      /^application\/(x-)?(ndjson|jsonlines|json-seq)/i,
      (request: FastifyRequest) =>
        this.read(request, (bytes) => readLines(withoutMark(bytes), this.#newScan())),
    )
    // Whatever else it is called, a body that is none of these is JSON or refused.
    app.addContentTypeParser('*', (request: FastifyRequest) => {
      const scan = this.#newScan()
      const look = (piece: Uint8Array): void => scan.push(piece)
      return this.read(request, (bytes) => readJson(bytes, scan), { look })
    })
    this.#releaseAfterwards(app)
  }

  /** Receives a body and parses it; both are refused beyond what the route and settings allow. */
  async read<Body>(
    request: FastifyRequest,
    parse: (bytes: Uint8Array<ArrayBuffer>) => Body | Promise<Body>,
    { look, isParsedElsewhere = false }: ReadOptions = {},
  ): Promise<Body> {
    const { bodyLimit: bytes, config } = request.routeOptions
    const bytesName = config.access === 'key' ? 'http.maxBodyMegabytes' : 'what this path takes'
    const lease = this.#settings.budget.open()
    this.#held.set(request, { lease, isHandled: false })
    try {
      askForBody(request.raw)
      const limits = { bytes, bytesName, ratio: this.#settings.ratio }
      const body = await receiveBody(request.raw, lease, limits, {
        ...(look === undefined ? {} : { look }),
        isHandedOver: isParsedElsewhere,
      })
      if (body.length > LARGE_BYTES && !isParsedElsewhere) await this.#takeTurn(request, lease)
      const parsed = await parse(body)
      if (this.#over.has(request)) lease.release()
      return parsed
    } catch (error) {
      lease.release()
      throw error
    }
  }

  #newScan(): JsonScan {
    return new JsonScan(this.#settings.json)
  }

  /** It lasts until the body is needed no longer. */
  async #takeTurn({ raw }: FastifyRequest, lease: BodyLease): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    lease.onRelease(ended.resolve)
    void this.#large.run(() => {
      begun.resolve()
      return ended.promise
    })
    await begun.promise
    if (raw.socket.destroyed)
      throw new RefusedError('invalid', 'the client has gone before its turn came')
  }

  /** A body is held until its handler is done, also when its client has gone before. */
  #releaseAfterwards(app: FastifyInstance): void {
    const held = this.#held
    app.addHook('onRoute', (route) => {
      const { handler, method } = route
      if (method === 'GET' || method === 'HEAD') return
      route.handler = async function handle(request: FastifyRequest, reply: FastifyReply) {
        const body = held.get(request)
        if (body === undefined) return handler.call(this, request, reply)
        body.isHandled = true
        try {
          return await handler.call(this, request, reply)
        } finally {
          body.lease.release()
        }
      }
    })
    // Not when Fastify says so: it says nothing of a client that has gone before its answer.
    app.addHook('onRequest', async (request, { raw }) => {
      raw.once('close', () => {
        this.#over.add(request)
        const body = held.get(request)
        if (body?.isHandled === false) body.lease.release()
      })
    })
  }
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Without the byte order mark that some editors and loggers write. */
export const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? bytes.subarray(3) : bytes
