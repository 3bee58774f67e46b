import { hash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { invalidateToken, issueToken, refreshToken, type TokenResponse } from '@plumbline/contract'
import { parseBasicCredentials } from '../../domain/basic-credentials.ts'
import { RefusedError } from '../../domain/refused-error.ts'
import { hashSecret } from '../../domain/secret.ts'
import type { Throttle } from '../../domain/throttle.ts'
import { isUuid } from '../../domain/token.ts'
import type { Storage } from '../../storage/storage.ts'

export type TokenRouteOptions = {
  storage: Pick<Storage, 'applications' | 'tokens'>
  throttle: Throttle
  lifetimeSeconds: number
  now(): number
}

export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRouteOptions> = async (app, options) => {
  const { storage, lifetimeSeconds, now } = options

  // Before a byte of the body is read: guessing is cheap for whoever guesses.
  app.addHook('onRequest', async (request) => {
    request.applicationId = await identify(request, options)
  })

  const issue = async (applicationId: string): Promise<TokenResponse> => {
    const token = randomUUID()
    const issuedAt = now()
    const expiresAt = issuedAt + lifetimeSeconds * 1000
    await storage.tokens.add({ hash: hashSecret(token), applicationId, issuedAt, expiresAt })
    return { token, expires_in: new Date(expiresAt).toISOString() }
  }

  app.route({
    ...issueToken,
    handler: ({ applicationId }) => issue(applicationId),
  })

  app.route({
    ...refreshToken,
    handler: async ({ applicationId, body }) => {
      const known = await storage.tokens.find(hashSecret(body.token.toLowerCase()))
      // A foreign token is answered like an unknown one: whose it is, is nobody's business.
      if (known?.applicationId !== applicationId || !isUuid(body.token))
        throw new RefusedError('invalid', 'the token is not one of this application')
      if (known.isInvalidated) throw new RefusedError('invalid', 'the token was invalidated')
      return issue(applicationId)
    },
  })

  app.route({
    ...invalidateToken,
    handler: async ({ applicationId, body }, reply) => {
      const hash = hashSecret(body.token.toLowerCase())
      await storage.tokens.invalidate(hash, applicationId, now())
      return reply.code(204).send()
    },
  })
}

/** The id of the application whose credentials the request carries, or a refusal. */
async function identify(
  request: FastifyRequest,
  { storage, throttle, now }: TokenRouteOptions,
): Promise<string> {
  const credentials = parseBasicCredentials(request.headers.authorization)
  if (credentials === undefined)
    throw new RefusedError(
      'invalid',
      'the Authorization header must be Basic with the Base64 text of <application id>:<application secret>',
    )

  // Counted by address too, so that guessing from elsewhere never locks the owner out.
  const key = `${request.ip} ${hash('sha256', credentials.id)}`
  const wait = throttle.retryAfterSeconds(key, now())
  if (wait > 0)
    throw new RefusedError('tooMany', 'Too many wrong credentials for this application.', {
      retryAfterSeconds: wait,
    })

  const known = await storage.applications.find(credentials.id)
  const given = hashSecret(credentials.secret)
  if (known === undefined || !timingSafeEqual(known.secretHash, given)) {
    throttle.fail(key, now())
    throw new RefusedError('invalid', 'the application id or secret is wrong')
  }
  throttle.succeed(key)
  return credentials.id
}
