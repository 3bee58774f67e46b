import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'

type Conf = Record<string, unknown>

type Session = { id: string; path: string; query: string; state?: string }

type Answer = { status: number; body: unknown }

const ok = (body: unknown = { status: 'ok' }): Answer => ({ status: 200, body })

const refuse = (status: number, error: string): Answer => ({
  status,
  body: { status: 'error', error },
})

/** A path that MediaMTX adds with its defaults. */
const defaults = (name: string): Conf => ({ name, source: 'publisher', sourceOnDemand: false })

/**
 * The part of the API of MediaMTX that the service uses, as its documentation and `internal/api`
 * describe it. It is not MediaMTX itself.
 */
export class MediaMtxStandIn implements AsyncDisposable {
  readonly paths = new Map<string, Conf>()
  /** Open sessions by kind; kinds that are missing answer 404. */
  readonly sessions = new Map<string, Session[]>()
  /** What was asked, such as `POST config/paths/add/1-h`. */
  readonly requests: string[] = []
  user = ''
  password = ''
  /** Answers in place of the API. */
  misbehave: ((request: IncomingMessage) => Answer | undefined) | undefined
  /** How a source is listed that was written. */
  listSource = (source: unknown): unknown => source
  readonly #server: Server
  #port = 0

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      })
    })
  }

  /** Listens, on the same port as before when it was closed. */
  async open(): Promise<this> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
    return this
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get api(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get sources(): Record<string, unknown> {
    return Object.fromEntries(Array.from(this.paths, ([name, { source }]) => [name, source]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.close()
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '', this.api)
    const body = await text(request)
    const wrong = this.misbehave?.(request)
    if (wrong !== undefined) return wrong
    const wanted = `Basic ${Buffer.from(`${this.user}:${this.password}`).toString('base64')}`
    if (this.user !== '' && request.headers.authorization !== wanted)
      return refuse(401, 'authentication error')
    const [, version, ...steps] = url.pathname.split('/')
    if (version !== 'v3') return refuse(404, '404 page not found')
    this.requests.push(`${request.method} ${steps.join('/')}`)
    if (steps.at(-1) === 'list') return this.#list(steps.slice(0, -1).join('/'), url.searchParams)
    if (steps[1] === 'kick') return this.#kick(steps[0] ?? '', steps[2] ?? '')
    return this.#change(`${request.method} ${steps[2]}`, steps.slice(3).join('/'), body)
  }

  #list(kind: string, query: URLSearchParams): Answer {
    const listed = Array.from(this.paths, ([name, conf]) => ({
      ...conf,
      name,
      source: this.listSource(conf['source']),
    })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const items = kind === 'config/paths' ? listed : this.sessions.get(kind)
    if (items === undefined) return refuse(404, '404 page not found')
    const size = Number(query.get('itemsPerPage') ?? 100)
    const start = Number(query.get('page') ?? 0) * size
    return ok({
      itemCount: items.length,
      pageCount: Math.ceil(items.length / size),
      items: items.slice(start, start + size),
    })
  }

  #kick(kind: string, id: string): Answer {
    const sessions = this.sessions.get(kind)
    if (sessions?.some((one) => one.id === id) !== true) return refuse(404, 'session not found')
    this.sessions.set(
      kind,
      sessions.filter((one) => one.id !== id),
    )
    return ok()
  }

  #change(what: string, name: string, body: string): Answer {
    const known = this.paths.get(name)
    if (what === 'POST add') {
      if (known !== undefined) return refuse(400, 'path already exists')
      return this.#set(name, { ...defaults(name), ...JSON.parse(body) })
    }
    if (known === undefined) return refuse(404, 'path configuration not found')
    if (what === 'DELETE delete') {
      this.paths.delete(name)
      return ok()
    }
    if (what === 'PATCH patch') return this.#set(name, { ...known, ...JSON.parse(body) })
    return refuse(404, '404 page not found')
  }

  #set(name: string, conf: Conf): Answer {
    if (/\s/.test(String(conf['source'])))
      return refuse(400, `path '${name}': '${String(conf['source'])}' is not a valid URL`)
    this.paths.set(name, conf)
    return ok()
  }
}
