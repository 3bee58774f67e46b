import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Failed, Failure } from '@plumbline/contract'
import { DamageError } from '../../errors/damage-error.ts'
import { RefusedError, type RefusedReason } from '../../errors/refused-error.ts'
import { shorten } from '../../errors/show.ts'
import { noteMediaType } from '../requests/media-type.ts'
import type { WholeResponse } from './whole-response.ts'

type ErrorStatus = { status: number; name: string }

/** The status of each reason; with 400 the response has the error name of the operation. */
const STATUSES = {
  invalid: { status: 400, name: 'BadRequest' },
  unauthenticated: { status: 401, name: 'Unauthorized' },
  forbidden: { status: 403, name: 'Forbidden' },
  absent: { status: 404, name: 'NotFound' },
  conflict: { status: 409, name: 'Conflict' },
  tooLarge: { status: 413, name: 'TooLarge' },
  tooMany: { status: 429, name: 'TooManyRequests' },
  unavailable: { status: 503, name: 'Unavailable' },
} as const satisfies Record<RefusedReason, ErrorStatus>

/** Errors of Fastify and zlib that the client causes, by their code. */
const CLIENT_ERRORS: Readonly<Record<string, [RefusedReason, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'invalid',
    'this path does not accept the media type of the body',
  ],
  Z_DATA_ERROR: ['invalid', 'the body is not gzip, though Content-Encoding says so, or is damaged'],
  Z_BUF_ERROR: ['invalid', 'the gzip data of the body is not complete'],
  FST_ERR_BAD_URL: ['invalid', 'the path is not a well-formed URL'],
  FST_ERR_ASYNC_CONSTRAINT: ['absent', 'there is nothing at this path'],
  FST_ERR_MAX_PARAM_LENGTH: ['absent', 'there is nothing at this path'],
}

/** Characters of a message; messages may list many problems. */
const MESSAGE_MAXIMUM = 4_000

const FALLBACK: Failure = { name: 'BadRequest', message: 'The request cannot be processed' }

/** The 400 of paths that cannot be read, the longest beginnings first. */
const FAILURES: readonly { start: string; failure: Failure }[] = [
  { start: '/api/v1/oauth2/', failure: { ...FALLBACK, name: 'RequestError' } },
  { start: '/api/v1/', failure: { ...FALLBACK, name: 'FindError' } },
  { start: '/ingest/v1/', failure: { ...FALLBACK, name: 'IngestError' } },
  { start: '/manage/v1/', failure: { ...FALLBACK, name: 'FindError' } },
]

type ErrorResponse = WholeResponse & { body: Failed }

/** An error with the members that Fastify and Node add to theirs. */
type RequestError = Error & { code?: string; statusCode?: number; validationContext?: string }

export const NOT_FOUND: ErrorResponse = {
  status: 404,
  body: { name: 'NotFound', message: 'There is nothing at this path.' },
}

export const SERVER_ERROR: ErrorResponse = {
  status: 500,
  body: { name: 'ServerError', message: 'The service failed to process the request.' },
}

/** Answers a request that failed or was refused. */
export type AnswerError = (
  error: RequestError,
  request: FastifyRequest,
  reply: FastifyReply,
) => void

export function installErrorHandlers(app: FastifyInstance, answer: AnswerError = sendError): void {
  app.setErrorHandler((error: RequestError, request, reply) => answer(error, request, reply))
  app.setNotFoundHandler((_request, reply) => send(reply, NOT_FOUND))
}

/**
 * Sends the error response of a request, also for Fastify's `frameworkErrors`, whose own bodies would
 * repeat the URL and the token in it.
 */
export const sendError: AnswerError = (error, request, reply) => {
  const refused = toRefusedError(error)
  if (refused === undefined) {
    logFailure(request.log, error, 'a request failed')
    return send(reply, SERVER_ERROR)
  }
  const { failure = failureOf(request) } = request.routeOptions?.config ?? {}
  const note = isOfBody(error) ? noteMediaType(request) : ''
  send(reply, toResponse(refused, failure, note))
}

const isOfBody = ({ code, validationContext }: RequestError): boolean =>
  validationContext === 'body' || code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

/** How a 400 begins whose path could not be read, by the operations that are at such paths. */
const failureOf = ({ raw: { url = '' } }: FastifyRequest): Failure =>
  FAILURES.find(({ start }) => url.startsWith(start))?.failure ?? FALLBACK

const send = (reply: FastifyReply, { status, headers = {}, body }: ErrorResponse): void =>
  void reply.code(status).headers(headers).send(body)

/**
 * The response to a refused request; `failure` names and words a 400 of its operation, `note` follows
 * the reason of a 400.
 */
function toResponse(error: RefusedError, failure: Failure, note: string): ErrorResponse {
  const message = shorten(error.message, MESSAGE_MAXIMUM)
  const isOwn400 = error.reason === 'tooLarge' && failure.name !== 'IngestError'
  const { status, name } = STATUSES[isOwn400 ? 'invalid' : error.reason]
  const headers = {
    ...(error.retryAfterSeconds === undefined
      ? {}
      : { 'retry-after': String(error.retryAfterSeconds) }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
  const body =
    status === 400
      ? { name: failure.name, message: `${failure.message}: ${toClause(withNote(message, note))}` }
      : { name: error.responseName ?? name, message: toSentence(message) }
  return { status, headers, body }
}

/** Logged of a response that ends before its last byte; its client sees an incomplete response. */
export const CUT_OFF = 'a response failed and was cut off'

/** Logs why a response failed or was cut off; for damaged data without a stack. */
export function logFailure(
  log: Pick<FastifyBaseLogger, 'error'>,
  error: unknown,
  words: string,
): void {
  if (error instanceof DamageError) log.error(`${words}: stored data is damaged: ${error.message}`)
  else log.error({ err: error }, words)
}

function toRefusedError(error: RequestError): RefusedError | undefined {
  if (error instanceof RefusedError) return error
  const { code = '', statusCode } = error
  const clientError = CLIENT_ERRORS[code]
  if (clientError !== undefined) return new RefusedError(...clientError)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new RefusedError('invalid', 'the request is not well-formed')
  return undefined
}

const toSentence = (text: string): string => toClause(text.charAt(0).toUpperCase() + text.slice(1))

const withNote = (sentence: string, note: string): string =>
  note === '' ? sentence : `${sentence.replace(/\.$/, '')}${note}`

const toClause = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`)
