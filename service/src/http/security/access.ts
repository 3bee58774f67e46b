import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AccessControl } from '../../domain/access/access-control.ts'
import type { Session } from '../../domain/access/revocation-watch.ts'
import { keySession } from '../../domain/access/key-session.ts'
import type { SecurityDetails } from '../../domain/access/security-log.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import type { IngestKeyStore } from '../../storage/storage.ts'
import type { Authenticator, Identified, TokenHolder } from './authenticate.ts'
import { keepConnection } from './connection-limits.ts'
import { readIngestKey } from './ingest-key.ts'
import { describeRequest } from './security-events.ts'

/** What the security log says of a request beside its route and status. */
export type RequestSecurity = {
  application?: string
  user?: number
  key?: string
  reason?: string
}

/** Requests below carry an access token; they end when it is made invalid meanwhile. */
export function requireToken(
  app: FastifyInstance,
  authenticator: Authenticator,
  access: AccessControl,
) {
  app.addHook('onRequest', async (request, reply) => {
    try {
      const identified = await authenticator.identify(request)
      const { caller, application } = identified
      request.caller = caller
      Object.assign(request.security, { user: caller.userId, application })
      const describe = () => describeRequest(request)
      followToken({ authenticator, access, identified, describe }, request.raw, reply.raw)
    } catch (error) {
      throw await countFailure(error, request, access)
    }
  })
}

type FollowOptions = {
  authenticator: Authenticator
  access: AccessControl
  identified: Identified
  /** What the security log says of the request. */
  describe(): SecurityDetails
}

/** Ends a request within a second after its token was made invalid, or its user may not see what it asks. */
export function followToken(
  { authenticator, access, identified, describe }: FollowOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { caller, tokenHash } = identified
  const whyEnd = (holder: TokenHolder): string | undefined => {
    if (typeof holder === 'string') return holder
    return caller.follow(holder.caller.catalogue) ? undefined : 'access narrowed'
  }
  const lookUp = () => authenticator.lookUp(tokenHash)
  follow(access, { hash: tokenHash, lookUp, whyEnd, describe }, request, response)
}

/** Requests below carry an ingest key; they end when it is revoked meanwhile. */
export function requireKey(
  app: FastifyInstance,
  keys: Pick<IngestKeyStore, 'find'>,
  access: AccessControl,
) {
  app.addHook('onRequest', async (request, reply) => {
    const sent = readIngestKey(request)
    if (sent === undefined)
      throw new RefusedError('unauthenticated', 'The request carries no ingest key.')
    const hash = hashSecret(sent)
    const key = await keys.find(hash)
    if (key === undefined) {
      const refusal = new RefusedError('unauthenticated', 'The ingest key is not valid.', {
        cause: 'unknown or revoked',
      })
      throw await countFailure(refusal, request, access)
    }
    request.security.key = key.name
    const describe = () => describeRequest(request)
    follow(access, { hash, ...keySession(keys, hash), describe }, request.raw, reply.raw)
  })
}

type Followed<Found> = Omit<Session<Found>, 'end'> & {
  hash: Uint8Array
  describe(): SecurityDetails
}

function follow<Found>(
  { revocations, security }: AccessControl,
  { hash, lookUp, whyEnd, describe }: Followed<Found>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  keepConnection(request, response)
  const end = (reason: string): void => {
    security.record('security.session-ended', { ...describe(), reason })
    request.socket.destroy()
  }
  const stop = revocations.open(hash, { lookUp, whyEnd, end })
  response.once('close', stop)
}

/** Of a wrong secret: the same refusal, or after too many of them another. */
async function countFailure(
  error: unknown,
  request: FastifyRequest,
  { attempts }: AccessControl,
): Promise<unknown> {
  if (!(error instanceof RefusedError) || typeof error.cause !== 'string') return error
  request.security.reason = error.cause
  const seconds = await attempts.fail(request.clientAddress)
  if (seconds === 0) return error
  const message = 'Too many wrong access tokens or ingest keys from this address.'
  return new RefusedError('tooMany', message, { retryAfterSeconds: seconds })
}
