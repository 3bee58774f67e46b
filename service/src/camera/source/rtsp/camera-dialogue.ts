import type { CameraLogin } from '../login/camera-login.ts'
import { SourceError } from '../opened-source.ts'
import {
  formatMessage,
  headerOf,
  statusOf,
  type RtspHeaders,
  type RtspMessage,
} from './rtsp-message.ts'

type Request = Readonly<{ method: string; uri: string; headers: RtspHeaders }>

type Waiting = {
  request: Request
  resolve(response: RtspMessage): void
  reject(error: unknown): void
}

/** So many requests may wait for a response: cameras leave some unanswered. */
const MOST_WAITING = 32

/** Requests of RTSP to a camera, with its login; requests of the camera get a response. */
export class CameraDialogue {
  readonly #login: CameraLogin
  readonly #write: (bytes: Buffer) => void
  readonly #waiting = new Map<string, Waiting>()
  #count = 0

  constructor(login: CameraLogin, write: (bytes: Buffer) => void) {
    this.#login = login
    this.#write = write
  }

  /** Sends a request and returns the response after the login; throws a SourceError if that is refused. */
  request(request: Request): Promise<RtspMessage> {
    return new Promise((resolve, reject) => this.#send({ request, resolve, reject }))
  }

  /** Takes a message of the camera; throws a SourceError if it sends the stream elsewhere. */
  receive(message: RtspMessage): void {
    const status = statusOf(message)
    if (status === undefined) this.#respond(message)
    else if (status >= 200) this.#settle(message, status)
  }

  #send(waiting: Waiting): void {
    const { method, uri, headers } = waiting.request
    const number = String(++this.#count)
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= MOST_WAITING) this.#waiting.delete(oldest)
    this.#waiting.set(number, waiting)
    this.#write(
      formatMessage(`${method} ${uri} RTSP/1.0`, {
        CSeq: number,
        Authorization: this.#login.authorize(method, uri),
        'User-Agent': 'Plumbline',
        ...headers,
      }),
    )
  }

  #settle(response: RtspMessage, status: number): void {
    const [oldest = ''] = this.#waiting.keys()
    // Some cameras leave the number out.
    const number = headerOf(response, 'cseq') ?? oldest
    const waiting = this.#waiting.get(number)
    if (waiting === undefined) return
    this.#waiting.delete(number)
    if (status !== 401) {
      this.#login.accepted()
      return waiting.resolve(response)
    }
    try {
      this.#login.challenged(response.headers.get('www-authenticate') ?? [])
      this.#send(waiting)
    } catch (error) {
      waiting.reject(error)
    }
  }

  #respond(request: RtspMessage): void {
    const [method = ''] = request.start.split(' ')
    if (method === 'REDIRECT') throw redirected()
    const isKnown = method === 'OPTIONS' || method.endsWith('_PARAMETER')
    this.#write(
      formatMessage(`RTSP/1.0 ${isKnown ? '200 OK' : '501 Not Implemented'}`, {
        CSeq: headerOf(request, 'cseq'),
      }),
    )
  }
}

export const redirected = (): SourceError =>
  new SourceError('The camera sends the stream from another address, which is not followed.')
