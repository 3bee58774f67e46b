import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import type { Failed, Failure } from '@plumbline/contract'
import { DamageError } from '../../errors/damage-error.ts'
import { RefusedError, type RefusedReason } from '../../errors/refused-error.ts'
import { shorten } from '../../errors/show.ts'
import type { WholeResponse } from './whole-response.ts'

type Meaning = { status: number; name: string }

/** The one place where a refusal becomes a status; 400 bears the operation's own name. */
const MEANINGS = {
  invalid: { status: 400, name: 'BadRequest' },
  unauthenticated: { status: 401, name: 'Unauthorized' },
  forbidden: { status: 403, name: 'Forbidden' },
  absent: { status: 404, name: 'NotFound' },
  tooLarge: { status: 413, name: 'TooLarge' },
  tooMany: { status: 429, name: 'TooManyRequests' },
  unavailable: { status: 503, name: 'Unavailable' },
} as const satisfies Record<RefusedReason, Meaning>

/** What Fastify refuses by itself, before a handler sees the request. */
const FRAMEWORK_REFUSALS: Record<string, [RefusedReason, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'invalid',
    'the body is of a media type this path does not read',
  ],
  // What decompressing a body fails with.
  Z_DATA_ERROR: ['invalid', 'the body is not gzip, though Content-Encoding says so, or is damaged'],
  Z_BUF_ERROR: ['invalid', 'the gzip of the body ends before its end'],
  FST_ERR_BAD_URL: ['invalid', 'the path is not a well-formed URL'],
  FST_ERR_ASYNC_CONSTRAINT: ['absent', 'there is nothing at this path'],
  FST_ERR_MAX_PARAM_LENGTH: ['absent', 'there is nothing at this path'],
}

/** What was sent is quoted by its beginning; this bounds lists of problems, and all that repeats it. */
const MESSAGE_MAXIMUM = 4_000

const FALLBACK: Failure = { name: 'BadRequest', message: 'The request cannot be processed' }

type ErrorResponse = WholeResponse & { body: Failed }

export const NOT_FOUND: ErrorResponse = {
  status: 404,
  body: { name: 'NotFound', message: 'There is nothing at this path.' },
}

export const SERVER_ERROR: ErrorResponse = {
  status: 500,
  body: { name: 'ServerError', message: 'The service failed to process the request.' },
}

export function installErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((_request, reply) => send(reply, NOT_FOUND))
}

/** Also Fastify's `frameworkErrors`: its own bodies would repeat the URL, and the token in it. */
export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toRefusal(error)
  if (refusal === undefined) {
    logFailure(request.log, error, 'a request failed')
    return send(reply, SERVER_ERROR)
  }
  send(reply, toResponse(refusal, request.routeOptions?.config?.failure ?? FALLBACK))
}

const send = (reply: FastifyReply, { status, headers = {}, body }: ErrorResponse): void =>
  void reply.code(status).headers(headers).send(body)

/** The response to a request that was refused; `failure` is what its operation calls a 400. */
function toResponse(refusal: RefusedError, failure: Failure): ErrorResponse {
  const message = shorten(refusal.message, MESSAGE_MAXIMUM)
  const isOwn400 = refusal.reason === 'tooLarge' && failure.name !== 'IngestError'
  const { status, name } = MEANINGS[isOwn400 ? 'invalid' : refusal.reason]
  const headers = {
    ...(refusal.retryAfterSeconds === undefined
      ? {}
      : { 'retry-after': String(refusal.retryAfterSeconds) }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
  const body =
    status === 400
      ? { name: failure.name, message: `${failure.message}: ${toClause(message)}` }
      : { name, message: toSentence(message) }
  return { status, headers, body }
}

/** Logs why a response failed or was cut off: of damage, where it is. */
export function logFailure(
  log: Pick<FastifyBaseLogger, 'error'>,
  error: unknown,
  words: string,
): void {
  if (error instanceof DamageError) log.error(`${words}: stored data is damaged: ${error.message}`)
  else log.error({ err: error }, words)
}

function toRefusal(error: Error): RefusedError | undefined {
  if (error instanceof RefusedError) return error
  const { code = '', statusCode } = error as Partial<FastifyError>
  const known = FRAMEWORK_REFUSALS[code]
  if (known !== undefined) return new RefusedError(...known)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new RefusedError('invalid', 'the request is not well-formed')
  return undefined
}

const toSentence = (text: string): string => toClause(text.charAt(0).toUpperCase() + text.slice(1))

const toClause = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`)
