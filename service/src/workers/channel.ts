import { Agent, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { codeOf } from '../errors/thrown.ts'
import type { PassOn } from '../http/reader-app.ts'
import { IDLE_LIMIT } from '../http/security/idle-connections.ts'
import { sendWhole } from '../http/responses/whole-response.ts'
import type { ChannelAddress } from './messages.ts'
import { writePreface } from './preface.ts'

/** A connection of the channel without a request is closed after this time. */
const UNUSED_MILLISECONDS = 30_000

/** Headers of a response that belong to its connection. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * The end of the private channel at a worker: it passes requests on to the first process.
 *
 * Each connection of a client has a connection of its own there, so that both end together.
 */
export class Channel {
  readonly #address: ChannelAddress
  readonly #agents = new WeakMap<Socket, Agent>()

  constructor(address: ChannelAddress) {
    this.#address = address
  }

  /** Passes a request on with its body as it arrives, and its response as the client reads. */
  readonly passOn: PassOn = (request, response, idle) => {
    const { socket, method = 'GET', url = '/' } = request
    const hasBody = isWithBody(request)
    const passed = requestHttp({
      agent: this.#agentOf(socket),
      method,
      path: url,
      headers: headersOf(request, hasBody),
    })
    // A request that was refused here already has as many listeners as Node expects.
    response.setMaxListeners(20)
    response.once('close', () => {
      if (!response.writableFinished) passed.destroy()
    })
    passed.on('continue', () => response.writeContinue())
    passed.on('response', (answer) => {
      if (answer.headers['keep-alive'] !== IDLE_LIMIT) idle.keep(request, response)
      passBack(answer, response)
    })
    passed.on('error', (error) => {
      // A response that has begun tells its client itself.
      if (response.headersSent) return
      if (isUnreachable(error)) sendWhole(response, UNREACHABLE)
      else socket.destroy()
    })
    if (hasBody) passed.flushHeaders()
    request.pipe(passed)
  }

  #agentOf(socket: Socket): Agent {
    const known = this.#agents.get(socket)
    if (known !== undefined) return known
    const agent = new ClientAgent(this.#address, socket.remoteAddress ?? '')
    this.#agents.set(socket, agent)
    socket.once('close', () => agent.destroy())
    return agent
  }
}

/** Opens the one connection of a client to the first process. */
class ClientAgent extends Agent {
  readonly #path: string
  readonly #preface: string

  constructor({ path, key }: ChannelAddress, address: string) {
    super({ keepAlive: true, maxSockets: 1, timeout: UNUSED_MILLISECONDS })
    this.#path = path
    this.#preface = writePreface(key, address)
  }

  override createConnection(): Socket {
    const socket = connect(this.#path)
    socket.write(this.#preface)
    return socket
  }
}

/** The first process cannot be reached: it has too many open files, or ends. */
const UNREACHABLE = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: {
    name: 'Unavailable',
    message: 'The worker could not reach the first process of the service. Send the request again.',
  },
}

const isUnreachable = (error: Error): boolean =>
  ['ECONNREFUSED', 'ENOENT', 'EAGAIN', 'EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')

const isWithBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/** The headers of a request as they came, with what HTTP/1.1 demands of the one that is passed on. */
function headersOf(
  { rawHeaders, headers, method = '', httpVersion }: IncomingMessage,
  hasBody: boolean,
): string[] {
  const more = httpVersion === '1.0' && headers.host === undefined ? ['Host', ''] : []
  // Node would announce a body of unknown length.
  const isEmpty = !hasBody && headers['content-length'] === undefined
  if (isEmpty && !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method))
    more.push('Content-Length', '0')
  return [...rawHeaders, ...more]
}

/** Sends the response of the first process to the client. */
function passBack(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 500, statusMessage, headers, rawHeaders } = answer
  const passed: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!OF_CONNECTION.has(name.toLowerCase())) passed.push(name, value)
  }
  if (headers.connection?.toLowerCase() === 'close') passed.push('Connection', 'close')
  response.writeHead(statusCode, statusMessage, passed)
  // The first bytes of a stream may come much later.
  if (headers['content-length'] === undefined) response.flushHeaders()
  // Where the first process breaks off, the client sees an incomplete response too.
  answer.on('error', () => response.destroy())
  answer.pipe(response)
}
