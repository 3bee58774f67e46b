import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import type { Failure } from '@plumbline/contract'
import { DamageError } from '../../errors/damage-error.ts'
import { RefusedError, type RefusedReason } from '../../errors/refused-error.ts'
import { shorten } from '../../errors/show.ts'

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
  // What unpacking a body fails with.
  Z_DATA_ERROR: ['invalid', 'the body is not gzip, though Content-Encoding says so, or is damaged'],
  Z_BUF_ERROR: ['invalid', 'the gzip of the body ends before its end'],
  FST_ERR_BAD_URL: ['invalid', 'the path is not a well-formed URL'],
  FST_ERR_ASYNC_CONSTRAINT: ['absent', 'there is nothing at this path'],
  FST_ERR_MAX_PARAM_LENGTH: ['absent', 'there is nothing at this path'],
}

/** What was sent is quoted by its beginning; this bounds lists of problems, and whatever else repeats it. */
const MESSAGE_MAXIMUM = 4_000

const FALLBACK: Failure = { name: 'BadRequest', message: 'The request cannot be answered' }

export function installErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => responseError(error as Error, request, reply))
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ name: 'NotFound', message: 'There is nothing at this path.' }),
  )
}

/** Also Fastify's `frameworkErrors`: its own bodies would repeat the URL, and the token in it. */
export function responseError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const refused = toRefusal(error)
  if (refused === undefined) {
    logFailure(request.log, error, 'an answer failed')
    void reply.code(500).send({ name: 'ServerError', message: 'The service failed to answer.' })
    return
  }

  const message = shorten(refused.message, MESSAGE_MAXIMUM)
  const failure = failureOf(request)
  const isOwn400 = refused.reason === 'tooLarge' && failure.name !== 'IngestError'
  const { status, name } = MEANINGS[isOwn400 ? 'invalid' : refused.reason]
  if (refused.retryAfterSeconds !== undefined)
    void reply.header('retry-after', String(refused.retryAfterSeconds))
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  void reply
    .code(status)
    .send(
      status === 400
        ? { name: failure.name, message: `${failure.message}: ${toClause(message)}` }
        : { name, message: toSentence(message) },
    )
}

/** Logs why an answer could not be given, or not to its end: of damage, where it is. */
export function logFailure(
  log: Pick<FastifyBaseLogger, 'error'>,
  error: unknown,
  words: string,
): void {
  if (error instanceof DamageError) log.error(`${words}: stored data is damaged: ${error.message}`)
  else log.error({ err: error }, words)
}

const failureOf = (request: FastifyRequest): Failure =>
  request.routeOptions?.config?.failure ?? FALLBACK

function toRefusal(error: Error): RefusedError | undefined {
  if (error instanceof RefusedError) return error
  const { code = '', statusCode } = error as FastifyError
  const known = FRAMEWORK_REFUSALS[code]
  if (known !== undefined) return new RefusedError(...known)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new RefusedError('invalid', 'the request is not well-formed')
  return undefined
}

const toSentence = (text: string): string => toClause(text.charAt(0).toUpperCase() + text.slice(1))

const toClause = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`)
