import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { connectCamera } from '../connect.ts'
import { CameraLogin } from '../login/camera-login.ts'
import { SourceError } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'

/** A response with status 200, or 206 to a request for a part. */
export type HttpBody = Readonly<{
  /** The path that led to it, after redirects. */
  path: string
  contentType: string
  body: IncomingMessage
}>

type GetOptions = {
  signal: AbortSignal
  /** The value of the header `Range`. */
  range?: string | undefined
}

const MOST_REDIRECTS = 3

/** Requests of HTTP to one camera, at its pinned address, with its login. */
export class HttpCamera {
  readonly #source: NetworkSource
  readonly #address: string
  readonly #headSeconds: number
  readonly #login: CameraLogin

  /** The head of a response has to arrive within `headSeconds`. */
  constructor(source: NetworkSource, address: string, headSeconds: number) {
    this.#source = source
    this.#address = address
    this.#headSeconds = headSeconds
    this.#login = new CameraLogin(source.credentials)
  }

  /** Gets a path of the camera; throws a SourceError. Redirects are followed on its host and port. */
  async get(path: string, { signal, range }: GetOptions): Promise<HttpBody> {
    let next = path
    for (let redirects = 0; redirects <= MOST_REDIRECTS;) {
      const response = await this.#send(next, range, signal)
      const { statusCode = 0, headers } = response
      if (statusCode === (range === undefined ? 200 : 206))
        return { path: next, contentType: headers['content-type'] ?? '', body: response }
      response.destroy()
      if (statusCode === 401)
        this.#login.challenged(response.headersDistinct['www-authenticate'] ?? [])
      else if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        next = this.pathOf(headers.location, next)
        redirects++
      } else throw new SourceError(describeStatus(statusCode))
    }
    throw new SourceError('The camera redirects again and again.')
  }

  /** The path of a reference in what a path led to; throws a SourceError if it is on another host or port. */
  pathOf(reference: string, path: string): string {
    const { origin, pathname, search } = this.#resolve(reference, path) ?? {}
    if (origin === undefined || origin !== new URL(this.#origin).origin)
      throw new SourceError('The camera leads to another address, which is not followed.')
    return `${pathname}${search}`
  }

  /** Whether a reference in what a path led to is on the host and port of the camera. */
  isOwn(reference: string, path: string): boolean {
    return this.#resolve(reference, path)?.origin === new URL(this.#origin).origin
  }

  #resolve(reference: string, path: string): URL | undefined {
    return URL.parse(reference, `${this.#origin}${path}`) ?? undefined
  }

  get #origin(): string {
    const { scheme, host, port } = this.#source
    return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`
  }

  async #send(
    path: string,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { scheme, host, port } = this.#source
    const socket = await connectCamera(this.#source, this.#address, signal)
    const authorization = this.#login.authorize('GET', path)
    const sent = request({
      // Without an agent: one of Node would resolve the name and connect by itself.
      createConnection: () => socket,
      signal,
      host,
      port,
      path,
      defaultPort: scheme === 'https' ? 443 : 80,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'Plumbline',
        ...(range === undefined ? {} : { range }),
        ...(authorization === undefined ? {} : { authorization }),
      },
    })
    sent.end()
    const late = AbortSignal.timeout(this.#headSeconds * 1000)
    try {
      const [response] = await once(sent, 'response', { signal: late })
      // An error of the body is thrown to its reader.
      response.on('error', () => {})
      if (response.statusCode !== 401) this.#login.accepted()
      return response
    } catch (error) {
      sent.on('error', () => {})
      sent.destroy()
      signal.throwIfAborted()
      if (late.aborted)
        throw new SourceError(`The camera did not respond within ${this.#headSeconds} seconds.`)
      throw new SourceError('The camera does not respond as HTTP does.', { cause: error })
    }
  }
}

function describeStatus(status: number): string {
  if (status === 403) return 'The camera refused access to the stream.'
  if (status === 404) return 'The camera has no stream of this path.'
  if (status === 503) return 'The camera has no room for another viewer.'
  return `The camera refused the stream with status ${status}.`
}
