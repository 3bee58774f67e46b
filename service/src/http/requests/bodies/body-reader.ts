import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusedError } from '../../../errors/refused-error.ts'
import { toError } from '../../../errors/thrown.ts'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { JsonScan, type JsonLimits } from '../../../json/json-scan.ts'
import { readJson } from '../../../json/read-json.ts'
import type { BodyBudget, BodyLease } from './body-budget.ts'
import { ofBody } from '../media-type.ts'
import { readForm } from './read-form.ts'
import { readLines } from './read-lines.ts'
import { toText } from './to-text.ts'
import { receiveBody } from './receive-body.ts'
import type { UnreadBodies } from './unread-bodies.ts'

export type BodySettings = {
  budget: BodyBudget
  /** Decompressed bytes for each byte that was sent. */
  ratio: number
  json: JsonLimits
}

/**
 * Larger bodies are parsed and stored one after another: their records take many times as much
 * memory as their bytes.
 */
const LARGE_BYTES = 256 * 1024

type BodyOptions = {
  /** Called with each chunk when it arrives; may throw. */
  inspect?: (chunk: Uint8Array) => void
  /** Large bodies that a thread parses do not wait for each other. */
  isParsedInThread?: boolean
}

type HeldBody = { lease: BodyLease; isHandled: boolean }

/** Reads and parses bodies within the limits and the memory budget. */
export class BodyReader {
  readonly #settings: BodySettings
  readonly #unread: UnreadBodies
  /** Large bodies, of which one is parsed and stored at a time. */
  readonly #large = new SerialQueue()
  readonly #held = new WeakMap<FastifyRequest, HeldBody>()
  /** Requests whose response is sent or whose connection is closed. */
  readonly #ended = new WeakSet<FastifyRequest>()

  constructor(settings: BodySettings, unread: UnreadBodies) {
    this.#settings = settings
    this.#unread = unread
  }

  /** Parses the bodies of all routes that are added later and have no parser of their own. */
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
    // Clients send JSON with many media types.
    app.addContentTypeParser('*', (request: FastifyRequest) => {
      const scan = this.#newScan()
      const inspect = (chunk: Uint8Array): void => scan.push(chunk)
      return this.read(request, (bytes) => readJson(bytes, scan), { inspect })
    })
    this.#releaseAfterResponse(app)
  }

  /** Receives and parses a body; refuses one beyond the limits of its route and the settings. */
  async read<Body>(
    request: FastifyRequest,
    parse: (bytes: Uint8Array<ArrayBuffer>) => Body | Promise<Body>,
    { inspect, isParsedInThread = false }: BodyOptions = {},
  ): Promise<Body> {
    const { bodyLimit: bytes, config } = request.routeOptions
    const bytesName = config.access === 'key' ? 'http.maxBodyMegabytes' : 'the limit of this path'
    const lease = this.#settings.budget.open()
    this.#held.set(request, { lease, isHandled: false })
    try {
      this.#unread.continue(request.raw)
      const limits = { bytes, bytesName, ratio: this.#settings.ratio }
      const body = await receiveBody(request.raw, lease, limits, {
        ...(inspect === undefined ? {} : { inspect }),
        hasOwnBuffer: isParsedInThread,
      })
      if (body.length > LARGE_BYTES && !isParsedInThread) await this.#waitForLarge(request, lease)
      const parsed = await parseBody(parse, body)
      if (this.#ended.has(request)) lease.release()
      return parsed
    } catch (error) {
      lease.release()
      throw error
    }
  }

  #newScan(): JsonScan {
    return new JsonScan(this.#settings.json)
  }

  /** Waits for the large bodies before this one; the next one waits until the lease is released. */
  async #waitForLarge({ raw }: FastifyRequest, lease: BodyLease): Promise<void> {
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    lease.onRelease(released.resolve)
    void this.#large.run(() => {
      started.resolve()
      return released.promise
    })
    await started.promise
    if (raw.socket.destroyed)
      throw new RefusedError('invalid', 'the client closed the connection before its response')
  }

  /** Holds a body until its handler ends, also when the connection is closed before. */
  #releaseAfterResponse(app: FastifyInstance): void {
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
    // Fastify's onResponse is not called for a client that closes the connection early.
    app.addHook('onRequest', async (request, { raw }) => {
      raw.once('close', () => {
        this.#ended.add(request)
        const body = held.get(request)
        if (body?.isHandled === false) body.lease.release()
      })
    })
  }
}

/** Parses a body; its error is marked as one of the body. */
async function parseBody<Body>(
  parse: (bytes: Uint8Array<ArrayBuffer>) => Body | Promise<Body>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Body> {
  try {
    return await parse(bytes)
  } catch (error) {
    throw ofBody(toError(error))
  }
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** The bytes without a UTF-8 byte order mark, which some editors and loggers write. */
export const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? bytes.subarray(3) : bytes
