import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ResponseHeaders } from '../responses/content-headers.ts'
import { encodeWhole, sendWhole } from '../responses/whole-response.ts'

type BrokenRequest = { status: string; name: string; message: string; retryAfterSeconds?: number }

const BAD_REQUEST: BrokenRequest = {
  status: '400 Bad Request',
  name: 'BadRequest',
  message: 'The request is not well-formed HTTP.',
}

/** Responses to requests that Node's HTTP parser refuses, by the code of its error. */
const RESPONSES: Readonly<Record<string, BrokenRequest>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    name: 'RequestTimeout',
    // A body is not read while the memory for bodies is used up: the client may have sent all of it.
    message:
      'The request did not arrive completely in time: it was sent too slowly, or the service was busy. Send it again.',
    retryAfterSeconds: 2,
  },
  // Node pauses the parser of a connection on which many requests wait.
  HPE_PAUSED: {
    status: '429 Too Many Requests',
    name: 'TooManyRequests',
    message:
      'Too many requests were sent ahead on this connection: send the next one after a response.',
  },
  CONNECT: {
    status: '400 Bad Request',
    name: 'BadRequest',
    message: 'This service is not a proxy: CONNECT is not supported.',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    name: 'TooLarge',
    message: 'The headers are larger than this service accepts.',
  },
}

/** How long the client may read the response before its connection is closed. */
const LINGER_MILLISECONDS = 500

/** Responds to a request that is not HTTP, with the headers of every response, and closes the connection. */
export const closeBrokenConnection =
  (safe: ResponseHeaders) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable) return void socket.destroy()
    const { status, name, message, retryAfterSeconds } = RESPONSES[error.code ?? ''] ?? BAD_REQUEST
    const { headers, text } = encodeWhole({
      headers: {
        ...safe,
        ...(retryAfterSeconds === undefined ? {} : { 'retry-after': retryAfterSeconds }),
        connection: 'close',
      },
      body: { name, message },
    })
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
    setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref()
  }

/** Refuses CONNECT with a response; Node would close the connection without one. */
export const refuseConnect =
  (headers: ResponseHeaders) =>
  (_request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => {})
    closeBrokenConnection(headers)(Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), socket)
  }

/** Refuses an `Expect` other than `100-continue` with a body; Node would send 417 without one. */
export const refuseExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
  sendWhole(response, {
    status: 417,
    body: {
      name: 'ExpectationFailed',
      message: 'The header "Expect" must be 100-continue or left out.',
    },
  })

/** A name or an address, with or without a port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\w:.%]{2,64}\])(?::\d{0,5})?$/i

/** Why the `Host` of a request is refused: proxies may read a repeated one differently. */
export function findHostProblem({ rawHeaders, headers, httpVersion }: IncomingMessage) {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'the header "Host" is missing' : undefined
  if (!HOST.test(host)) return 'the header "Host" is not a host name or address'
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHostHeader(rawHeaders[at])) count++
  return count > 1 ? 'the header "Host" is repeated' : undefined
}

const isHostHeader = (name = ''): boolean => name.length === 4 && name.toLowerCase() === 'host'

/** Refuses a request without a valid `Host` and closes its connection. */
export async function requireHost({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const problem = findHostProblem(raw)
  if (problem === undefined) return
  reply.header('connection', 'close')
  throw new RefusedError('invalid', problem)
}
