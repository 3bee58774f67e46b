import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ResponseHeaders } from '../responses/content-headers.ts'
import { encodeWhole, sendWhole } from '../responses/whole-response.ts'

type Refusal = { status: string; name: string; message: string; retryAfterSeconds?: number }

const BAD_REQUEST: Refusal = {
  status: '400 Bad Request',
  name: 'BadRequest',
  message: 'The request is not well-formed HTTP.',
}

/** What the HTTP server refuses before Fastify sees it, by the code of its error. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    name: 'RequestTimeout',
    // A body is read no further while memory for bodies is short: then all of it may have been sent.
    message:
      'The request did not arrive completely in time: it was sent too slowly, or the service was busy. Send it again.',
    retryAfterSeconds: 2,
  },
  // Node stops reading a connection on which many responses wait, and then takes what comes for broken.
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

/** How long a client whose request is broken may read the response before it is disconnected. */
const LINGER_MILLISECONDS = 500

/** Responds to a client whose request is no HTTP, with the headers of every response. */
export const closeBrokenConnection =
  (safe: ResponseHeaders) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable) return void socket.destroy()
    const { status, name, message, retryAfterSeconds } = REFUSALS[error.code ?? ''] ?? BAD_REQUEST
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

/** Refuses CONNECT; Node itself would close the connection without a response. */
export const refuseConnect =
  (headers: ResponseHeaders) =>
  (_request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => {})
    closeBrokenConnection(headers)(Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), socket)
  }

/** Refuses an `Expect` other than `100-continue`; Node itself would send 417 without a body. */
export const refuseExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
  sendWhole(response, {
    status: 417,
    body: {
      name: 'ExpectationFailed',
      message: 'The header "Expect" must be 100-continue or left out.',
    },
  })

/** A name or an address, and perhaps a port; what stands there is not used otherwise. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\w:.%]{2,64}\])(?::\d{0,5})?$/i

/** Why the `Host` of a request is not in order: two of them may mean two places to two readers. */
export function findHostProblem({ rawHeaders, headers, httpVersion }: IncomingMessage) {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'the header "Host" is missing' : undefined
  if (!HOST.test(host)) return 'the header "Host" is no host'
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') count++
  return count > 1 ? 'the header "Host" is there more than once' : undefined
}

export async function requireHost({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const problem = findHostProblem(raw)
  if (problem === undefined) return
  reply.header('connection', 'close')
  throw new RefusedError('invalid', problem)
}
