import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Access } from '../domain/access/access.ts'
import { plainAddress } from '../domain/access/address-block.ts'
import { RefusedError } from '../domain/refused-error.ts'
import { hashSecret } from '../domain/secret.ts'
import type { KeyStore } from '../storage/storage.ts'
import type { Authenticator } from './authenticate.ts'
import { keepConnection } from './connection-limits.ts'
import { readIngestKey } from './ingest-key.ts'

/** What the security log says of a request beside its route and status. */
export type RequestSecurity = {
  application?: string
  user?: number
  key?: string
  reason?: string
}

/** Requests below carry an access token; they end when it is made invalid meanwhile. */
export function requireToken(app: FastifyInstance, authenticator: Authenticator, access: Access) {
  app.addHook('onRequest', async (request, reply) => {
    try {
      const { caller, tokenHash } = await authenticator.identify(request)
      request.caller = caller
      request.security.user = caller.userId
      followToken({ authenticator, access, tokenHash }, request.raw, reply.raw)
    } catch (error) {
      throw await countFailure(error, request, access)
    }
  })
}

/** Ends a request within a second after its token was made invalid. */
export function followToken(
  options: { authenticator: Authenticator; access: Access; tokenHash: Uint8Array },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { authenticator, access, tokenHash } = options
  const isValid = (): Promise<boolean> => authenticator.isValid(tokenHash)
  follow(access, { hash: tokenHash, isValid, secret: 'token' }, request, response)
}

/** Requests below carry an ingest key; they end when it is revoked meanwhile. */
export function requireKey(app: FastifyInstance, keys: Pick<KeyStore, 'find'>, access: Access) {
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
    const isValid = async (): Promise<boolean> => (await keys.find(hash)) !== undefined
    follow(access, { hash, isValid, secret: 'key' }, request.raw, reply.raw)
  })
}

type Followed = { hash: Uint8Array; isValid(): Promise<boolean>; secret: 'token' | 'key' }

function follow(
  { watch, security }: Access,
  { hash, isValid, secret }: Followed,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  keepConnection(request, response)
  const stop = watch.open(hash, isValid, () => {
    const from = plainAddress(request.socket.remoteAddress ?? '')
    security.record('security.session-ended', { from, secret })
    request.socket.destroy()
  })
  response.once('close', stop)
}

/** Of a wrong secret: the same refusal, or after too many of them another. */
async function countFailure(
  error: unknown,
  request: FastifyRequest,
  { attempts }: Access,
): Promise<unknown> {
  if (!(error instanceof RefusedError) || typeof error.cause !== 'string') return error
  request.security.reason = error.cause
  const seconds = await attempts.fail(request.ip)
  if (seconds === 0) return error
  const message = 'Too many wrong access tokens or ingest keys from this address.'
  return new RefusedError('tooMany', message, { retryAfterSeconds: seconds })
}
