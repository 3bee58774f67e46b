import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { RefusedError } from '../domain/refused-error.ts'

type Refusal = { status: string; name: string; message: string }

const BAD_REQUEST: Refusal = {
  status: '400 Bad Request',
  name: 'BadRequest',
  message: 'The request is not well-formed HTTP.',
}

/** What the HTTP server gives up on before Fastify sees it, by the code of its error. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    name: 'RequestTimeout',
    message: 'The request did not arrive whole in time.',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    name: 'TooLarge',
    message: 'The headers are larger than this service accepts.',
  },
}

/** A client that is told off has so long to read why; then it is gone, whatever it still sends. */
const LAST_WORD_MILLISECONDS = 500

export function closeBrokenConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const { status, name, message } = REFUSALS[error.code ?? ''] ?? BAD_REQUEST
  const body = JSON.stringify({ name, message })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), LAST_WORD_MILLISECONDS).unref()
}

/** Answers an `Expect` other than `100-continue`; Node itself would say nothing but 417. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({
    name: 'ExpectationFailed',
    message: 'The header "Expect" must be 100-continue or left out.',
  })
  response
    .writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}

export async function requireHost({ raw, headers }: FastifyRequest): Promise<void> {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new RefusedError('invalid', 'the header "Host" is missing')
}
