import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  acceptInvitation,
  beginTotp,
  changePassword,
  confirmTotp,
  getSession,
  readInvitation,
  removeTotp,
  signIn,
  signOut,
} from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import type { Throttle } from '../../access/throttle.ts'
import { findPasswordProblem } from '../../domain/access/password-rules.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import { base32, findTotpStep, TOTP_SECRET_BYTES, totpUri } from '../../domain/access/totp.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type {
  AuditStore,
  CheckedAccount,
  OneTimeLink,
  StoredAccount,
} from '../../storage/storage.ts'
import { noteChange } from '../security/audit.ts'
import type { Identity } from '../security/authenticate.ts'
import type { IdleConnections } from '../security/idle-connections.ts'
import { requireSameOrigin } from '../security/same-origin.ts'
import { readSessionCookie, REMOVED_COOKIE } from '../security/session-cookie.ts'
import {
  checkPassword,
  identifyAccount,
  openSession,
  toSession,
  type SignInOptions,
} from '../security/sign-in.ts'

export type SessionRouteOptions = SignInOptions & { audit: AuditStore }

type OpeningOptions = SessionRouteOptions & {
  /** Of wrong one-time links, which lock nobody out who signs in. */
  linkThrottle: Throttle
  idle: IdleConnections
  publicUrl: string
}

/** The operations that open a session. */
export const signInRoutes: FastifyPluginAsyncTypebox<OpeningOptions> = async (app, options) => {
  const { storage, passwords, linkThrottle, idle, publicUrl, now } = options

  app.addHook('onRequest', async (request, reply) => {
    requireSameOrigin(request, { publicUrl, needsProof: false })
    idle.keep(request.raw, reply.raw)
  })

  app.route({
    ...signIn,
    handler: async (request, reply) => {
      const account = await identifyAccount(request, request.body, options)
      await noteChange(request, { kind: 'account', name: account.name }, options)
      const session = await openSession(request, reply, account, options)
      // The browser keeps one cookie: nobody could end the session of the one that it had.
      const earlier = readSessionCookie(request.headers.cookie)
      if (earlier !== undefined) await storage.sessions.end(hashSecret(earlier), now())
      return session
    },
  })

  /** A link that holds; throws for any other. */
  const getLink = async (request: FastifyRequest, secret: string): Promise<OneTimeLink> => {
    const link = await storage.accounts.findLink(hashSecret(secret))
    if (link !== undefined && (await holds(link))) return link
    request.security.reason = 'link'
    const seconds = await linkThrottle.fail(request.clientAddress)
    if (seconds > 0)
      throw new RefusedError('tooMany', 'Too many wrong links from this address.', {
        retryAfterSeconds: seconds,
      })
    throw new RefusedError(
      'invalid',
      'the link is not valid: it was used, replaced, or is older than 72 hours. Ask an administrator for a new one',
    )
  }

  const holds = async ({ purpose, account, expiresAt }: OneTimeLink): Promise<boolean> => {
    if (expiresAt !== null && expiresAt <= now()) return false
    if (purpose === 'first') return (await storage.accounts.list()).length === 0
    return account !== null && !account.isDisabled
  }

  app.route({
    ...readInvitation,
    handler: async (request) => {
      const { purpose, account } = await getLink(request, request.body.secret)
      return { purpose, name: account?.name ?? null }
    },
  })

  app.route({
    ...acceptInvitation,
    handler: async (request, reply) => {
      const { secret, password } = request.body
      const { purpose, account: invited } = await getLink(request, secret)
      const name = invited?.name ?? request.body.name?.toLowerCase()
      if (name === undefined)
        throw new RefusedError('invalid', 'the body member "name" is missing: it names the account')
      refusePassword(password, name)
      const phc = await passwords.hash(request.clientAddress, password)
      request.audit.target = `account=${name}`
      request.audit.after = { purpose }
      await noteChange(request, { kind: 'account', name }, options)
      const hash = hashSecret(secret)
      const account = await (invited === null
        ? acceptFirst(hash, name, phc)
        : accept(hash, invited, phc))
      if (account === undefined)
        throw new RefusedError(
          'invalid',
          'the link was used or replaced meanwhile, or its name was taken',
        )
      const checked = { ...account, password: phc, isTotpConfirmed: account.hasTotp }
      return openSession(request, reply, checked, options)
    },
  })

  const accept = async (hash: Uint8Array, { id }: StoredAccount, password: string) => {
    const values = { accountId: id, password, now: now() }
    const isAccepted = await storage.accounts.acceptLink(hash, values)
    return isAccepted ? storage.accounts.find(id) : undefined
  }

  const acceptFirst = async (hash: Uint8Array, name: string, password: string) => {
    const account = { name, displayName: name, role: 'administrator', userId: null } as const
    const values = { ...account, password, createdAt: now() }
    const id = await storage.accounts.acceptFirstLink(hash, values)
    return id === undefined ? undefined : storage.accounts.find(id)
  }
}

/** The operations of a signed-in account on itself. */
export const sessionRoutes: FastifyPluginAsyncTypebox<SessionRouteOptions> = async (
  app,
  options,
) => {
  const { storage, passwords, throttle, now } = options

  app.route({
    ...getSession,
    handler: async (request) => {
      const { account, expiresAt } = sessionOf(request)
      return toSession(account, expiresAt)
    },
  })

  app.route({
    ...signOut,
    handler: async (request, reply) => {
      await storage.sessions.end(identityOf(request).secretHash, now())
      return reply.header('set-cookie', REMOVED_COOKIE).code(204).send()
    },
  })

  app.route({
    ...changePassword,
    handler: async (request, reply) => {
      const { password, newPassword } = request.body
      const { account } = sessionOf(request)
      const checked = await requirePassword(request, password)
      refusePassword(newPassword, account.name)
      const phc = await passwords.hash(request.clientAddress, newPassword)
      const { secretHash: keep } = identityOf(request)
      requireUnchanged(await storage.accounts.changePassword(checked, phc, { keep, now: now() }))
      return reply.code(204).send()
    },
  })

  /** A stolen session must not lock its owner out: who changes the account knows the password. */
  const requirePassword = async (
    request: FastifyRequest,
    password: string,
  ): Promise<CheckedAccount> => {
    const { name } = sessionOf(request).account
    try {
      return await checkPassword(request, { name, password }, options)
    } catch (error) {
      // The session is still valid: a 401 would say that it is not.
      if (error instanceof RefusedError && error.reason === 'unauthenticated')
        throw new RefusedError('invalid', 'the password is wrong')
      throw error
    }
  }

  app.route({
    ...beginTotp,
    handler: async (request) => {
      const { account } = sessionOf(request)
      const checked = await requirePassword(request, request.body.password)
      if (checked.isTotpConfirmed)
        throw new RefusedError('invalid', 'the account has an authenticator: remove it first')
      const secret = randomBytes(TOTP_SECRET_BYTES)
      requireUnchanged(await storage.accounts.beginTotp(checked, secret))
      const uri = totpUri(secret, { name: account.name, host: request.hostname })
      return { secret: base32(secret), uri }
    },
  })

  app.route({
    ...confirmTotp,
    handler: async (request, reply) => {
      const { id, name } = sessionOf(request).account
      const seconds = throttle.waitSeconds(request.clientAddress, name)
      if (seconds > 0)
        throw new RefusedError('tooMany', 'Too many wrong codes.', { retryAfterSeconds: seconds })
      const stored = await storage.accounts.findByName(name)
      const secret = stored?.totpSecret ?? undefined
      if (secret === undefined || stored?.isTotpConfirmed !== false)
        throw new RefusedError('invalid', 'no authenticator waits for its first code')
      const step = findTotpStep(secret, request.body.code, now())
      if (step === undefined || !(await storage.accounts.acceptTotp(id, secret, step))) {
        await throttle.fail(request.clientAddress, name)
        throw new RefusedError(
          'invalid',
          'the code is wrong: check the clocks of the authenticator and of this service',
        )
      }
      return reply.code(204).send()
    },
  })

  app.route({
    ...removeTotp,
    handler: async (request, reply) => {
      const checked = await requirePassword(request, request.body.password)
      requireUnchanged(await storage.accounts.removeTotp(checked))
      return reply.code(204).send()
    },
  })
}

function identityOf({ identity }: FastifyRequest): Identity {
  if (identity === null) throw new Error('the route has no identity')
  return identity
}

function sessionOf(request: FastifyRequest): NonNullable<Identity['session']> {
  const { session } = identityOf(request)
  if (session === undefined) throw new Error('the route has no session')
  return session
}

function requireUnchanged(isDone: boolean): void {
  if (!isDone)
    throw new RefusedError('conflict', 'The account has changed meanwhile. Sign in again.')
}

function refusePassword(password: string, name: string): void {
  const problem = findPasswordProblem(password, name)
  if (problem !== undefined) throw new RefusedError('invalid', problem)
}
