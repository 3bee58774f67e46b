import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AccessControl } from '../../access/access-control.ts'
import type { SecretSession } from '../../access/revocation-watch.ts'
import { keySession } from '../../access/key-session.ts'
import type { SecurityDetails } from '../../domain/access/security-log.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import type { IngestKeyStore } from '../../storage/storage.ts'
import type { Authenticator, Identity, TokenHolder } from './authenticate.ts'
import type { IdleConnections } from './idle-connections.ts'
import { readIngestKey } from './ingest-key.ts'
import { describeRequest } from './security-events.ts'

/** What the security log contains of a request besides its route and status. */
export type RequestSecurity = {
  application?: string
  user?: number
  key?: string
  reason?: string
}

/** What requests with a token or an ingest key need from the application. */
type RequestSessionOptions = { access: AccessControl; idle: IdleConnections }

/** Requires an access token of all routes of an app; ends their requests when it becomes invalid. */
export function requireToken(
  app: FastifyInstance,
  authenticator: Authenticator,
  options: RequestSessionOptions,
) {
  app.addHook('onRequest', async (request, reply) => {
    try {
      const identity = await authenticator.identify(request)
      const { caller, application } = identity
      request.caller = caller
      Object.assign(request.security, { user: caller.userId, application })
      const describe = () => describeRequest(request)
      watchToken({ ...options, authenticator, identity, describe }, request.raw, reply.raw)
    } catch (error) {
      throw await countFailure(error, request, options.access)
    }
  })
}

type TokenWatchOptions = RequestSessionOptions & {
  authenticator: Authenticator
  identity: Identity
  /** The details of the request for the security log. */
  describe(): SecurityDetails
}

/**
 * Ends a request within a second after its token becomes invalid, or its user may no longer see what
 * it requests.
 */
export function watchToken(
  { authenticator, access, idle, identity, describe }: TokenWatchOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { caller, tokenHash } = identity
  const whyEnd = (holder: TokenHolder): string | undefined => {
    if (typeof holder === 'string') return holder
    return caller.follow(holder.caller.catalogue) ? undefined : 'access narrowed'
  }
  const lookUp = () => authenticator.lookUp(tokenHash)
  idle.keep(request, response)
  watchSession(access, { hash: tokenHash, lookUp, whyEnd, describe }, request, response)
}

/** Requires an ingest key of all routes of an app; ends their requests when it is revoked. */
export function requireKey(
  app: FastifyInstance,
  keys: Pick<IngestKeyStore, 'find'>,
  { access, idle }: RequestSessionOptions,
) {
  app.addHook('onRequest', async (request, reply) => {
    const sent = readIngestKey(request)
    if (sent === undefined)
      throw new RefusedError('unauthenticated', 'The request carries no ingest key.')
    const hash = hashSecret(sent)
    const key = await keys.find(hash)
    if (key === undefined) {
      const error = new RefusedError('unauthenticated', 'The ingest key is not valid.', {
        cause: 'unknown or revoked',
      })
      throw await countFailure(error, request, access)
    }
    request.security.key = key.name
    const describe = () => describeRequest(request)
    idle.keep(request.raw, reply.raw)
    watchSession(access, { hash, ...keySession(keys, hash), describe }, request.raw, reply.raw)
  })
}

type RequestSession<Found> = Omit<SecretSession<Found>, 'end'> & {
  hash: Uint8Array
  describe(): SecurityDetails
}

function watchSession<Found>(
  { revocations, security }: AccessControl,
  { hash, lookUp, whyEnd, describe }: RequestSession<Found>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const end = (reason: string): void => {
    security.record('security.session-ended', { ...describe(), reason })
    request.socket.destroy()
  }
  const stop = revocations.open(hash, { lookUp, whyEnd, end })
  response.once('close', stop)
}

/** Counts a wrong secret; returns the error itself, or after too many wrong secrets a 429. */
async function countFailure(
  error: unknown,
  request: FastifyRequest,
  { throttle }: AccessControl,
): Promise<unknown> {
  if (!(error instanceof RefusedError) || typeof error.cause !== 'string') return error
  request.security.reason = error.cause
  const seconds = await throttle.fail(request.clientAddress)
  if (seconds === 0) return error
  const message = 'Too many wrong access tokens or ingest keys from this address.'
  return new RefusedError('tooMany', message, { retryAfterSeconds: seconds })
}
