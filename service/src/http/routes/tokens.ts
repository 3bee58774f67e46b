import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { invalidateToken, issueToken, refreshToken, type TokenResponse } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import { isUuid } from '../../domain/access/token.ts'
import type { Storage } from '../../storage/storage.ts'
import type { IdleConnections } from '../security/idle-connections.ts'
import { identifyApplication, type CredentialOptions } from '../security/credentials.ts'

export type TokenRouteOptions = CredentialOptions & {
  storage: Pick<Storage, 'tokens'>
  idle: IdleConnections
  lifetimeSeconds: number
  now(): number
}

export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRouteOptions> = async (app, options) => {
  const { storage, lifetimeSeconds, now } = options

  // Before the body is read, so that guessing secrets costs the service little.
  app.addHook('onRequest', async (request, reply) => {
    request.applicationId = await identifyApplication(request, options)
    options.idle.keep(request.raw, reply.raw)
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
      const stored = await storage.tokens.find(hashSecret(body.token.toLowerCase()))
      // The response is the same for an unknown token and one of another application.
      if (stored?.applicationId !== applicationId || !isUuid(body.token))
        throw new RefusedError('invalid', 'the token is not one of this application')
      if (stored.isInvalidated) throw new RefusedError('invalid', 'the token was invalidated')
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
