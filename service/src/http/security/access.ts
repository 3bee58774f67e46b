import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppScope } from '@plumbline/contract'
import type { AccessControl } from '../../access/access-control.ts'
import type { SecretSession } from '../../access/revocation-watch.ts'
import { keySession } from '../../access/key-session.ts'
import { DEFAULT_APP_SCOPE, includesScope } from '../../domain/access/app-scope.ts'
import type { SecurityDetails } from '../../domain/access/security-log.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import type { IngestKeyStore } from '../../storage/storage.ts'
import type { Authenticator, Identity, Who } from './authenticate.ts'
import type { IdleConnections } from './idle-connections.ts'
import { readIngestKey } from './ingest-key.ts'
import { requireSameOrigin } from './same-origin.ts'
import { describeRequest } from './security-events.ts'

/** What the security log contains of a request besides its route and status. */
export type RequestSecurity = {
  application?: string
  account?: string
  user?: number
  key?: string
  reason?: string
}

/** What requests with a token or an ingest key need from the application. */
type RequestSessionOptions = { access: AccessControl; idle: IdleConnections }

type CallerOptions = RequestSessionOptions & { publicUrl: string }

/**
 * Requires an access token or the cookie of a session of all routes of an app; ends their requests when
 * it becomes invalid.
 */
export function requireToken(
  app: FastifyInstance,
  authenticator: Authenticator,
  options: CallerOptions,
) {
  requireIdentity(app, (request) => authenticator.identify(request), options)
}

/** The same with the cookie only, for all routes that belong to a signed-in account. */
export function requireSession(
  app: FastifyInstance,
  authenticator: Authenticator,
  options: CallerOptions,
) {
  requireIdentity(app, ({ headers }) => authenticator.identifySession(headers), options)
}

function requireIdentity(
  app: FastifyInstance,
  identify: (request: FastifyRequest) => Promise<Identity>,
  { publicUrl, ...options }: CallerOptions,
) {
  app.addHook('onRequest', async (request, reply) => {
    try {
      const identity = await identify(request)
      request.identity = identity
      request.caller = identity.caller
      Object.assign(request.security, describeIdentity(identity))
      if (identity.session !== undefined)
        requireSameOrigin(request, { publicUrl, needsProof: true })
      const describe = () => describeRequest(request)
      const { scope = DEFAULT_APP_SCOPE } = request.routeOptions.config
      permitScope(identity, scope)
      watchIdentity({ ...options, identity, scope, describe }, request.raw, reply.raw)
    } catch (error) {
      throw await countFailure(error, request, options.access)
    }
  })
}

/** The caller of a request for the security log. */
export const describeIdentity = ({
  caller: { userId },
  who: { kind, name },
}: Pick<Identity, 'caller' | 'who'>): SecurityDetails => ({
  ...(userId === null ? {} : { user: userId }),
  [kind]: name,
})

/** Throws 403 for an application whose scope does not include the one of the operation. */
function permitScope({ who, scope }: Identity, needed: AppScope): void {
  if (includesScope(scope, needed)) return
  throw new RefusedError(
    'forbidden',
    `This operation needs the scope "${needed}"; ${nameOf(who)} has the scope "${scope}".`,
  )
}

const nameOf = ({ kind, name }: Who): string =>
  kind === 'account' ? `the account ${name}` : `application ${name}`

type IdentityWatchOptions = RequestSessionOptions & {
  identity: Identity
  /** The scope that the operation needs. */
  scope: AppScope
  /** The details of the request for the security log. */
  describe(): SecurityDetails
}

/**
 * Ends a request within a second after its token or session becomes invalid, its caller loses the scope
 * of the operation, or may no longer see what it requests.
 */
export function watchIdentity(
  { access, idle, identity, scope, describe }: IdentityWatchOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { caller, secretHash: hash, lookUp } = identity
  const whyEnd = (holder: Awaited<ReturnType<Identity['lookUp']>>): string | undefined => {
    if (typeof holder === 'string') return holder
    if (!includesScope(holder.scope, scope)) return 'scope narrowed'
    if (holder.caller.userId !== caller.userId) return 'user changed'
    return caller.follow(holder.caller.catalogue) ? undefined : 'access narrowed'
  }
  idle.keep(request, response)
  watchSession(access, { hash, lookUp, whyEnd, describe }, request, response)
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
    request.keyTargets = key.targets
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
