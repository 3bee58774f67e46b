import type { IncomingHttpHeaders } from 'node:http'
import type { AppScope, AuditLine } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { scopeOfRole } from '../../domain/access/account-roles.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import { readToken } from '../../domain/access/token.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { SessionStore, StoredSession, TokenStore } from '../../storage/storage.ts'
import { Caller } from './caller.ts'
import { memberOf } from '../requests/member-of.ts'
import { readSessionCookie } from './session-cookie.ts'

/** When a session ends by itself: unused, and in any case. */
export type SessionLimits = { idleMilliseconds: number; longestMilliseconds: number }

export type SessionSource = SessionLimits & {
  store: Pick<SessionStore, 'find' | 'use' | 'end'>
}

type AuthenticatorOptions = {
  tokens: Pick<TokenStore, 'find' | 'markExpired'>
  /** Without them no cookie is accepted. */
  sessions?: SessionSource | undefined
  catalogue: CurrentCatalogue
  now(): number
}

type RequestParts = { query: unknown; headers: IncomingHttpHeaders }

/** An application or an account. */
export type Who = AuditLine['who'] & { kind: 'application' | 'account' }

/** The caller of a valid secret, and what it may do. */
type Holder = {
  caller: Caller
  who: Who
  scope: AppScope
  /** Of a cookie. */
  session?: StoredSession & { expiresAt: number }
}

/** The caller of a request, and the hash of its token or cookie. */
export type Identity = Holder & {
  secretHash: Uint8Array
  /** Looks the token or cookie up again; a text says why it is not valid any more. */
  lookUp(): Promise<Holder | string>
}

export type Authenticator = {
  /**
   * Finds the caller of a request by its access token, or without one by the cookie of its session;
   * throws a `RefusedError` without either.
   */
  identify(request: RequestParts): Promise<Identity>
  /** Finds the caller by the cookie only. */
  identifySession(headers: IncomingHttpHeaders): Promise<Identity>
}

/** Why a secret is not valid. Only the log says it: the response is the same for all. */
type Fault =
  | 'malformed'
  | 'unknown'
  | 'invalidated'
  | 'expired'
  | 'user removed'
  | 'signed out'
  | 'account disabled'

const DAY = 86_400_000

/** A session is noted as used at most this often. */
const USE_MILLISECONDS = 60_000

/** Identifies callers by access tokens and sessions. */
export function authenticator(options: AuthenticatorOptions): Authenticator {
  const { sessions } = options
  const findToken = tokenFinder(options)
  const findSession = sessions === undefined ? undefined : sessionFinder(options, sessions)

  const identifySession = async (headers: IncomingHttpHeaders): Promise<Identity | undefined> => {
    const secret = readSessionCookie(headers.cookie)
    if (secret === undefined || findSession === undefined) return undefined
    const secretHash = hashSecret(secret)
    const lookUp = () => findSession(secretHash)
    const found = await lookUp()
    if (typeof found === 'string') throw refuse('The session has ended. Sign in again.', found)
    await noteUse(secretHash, found.session.usedAt)
    return { ...found, secretHash, lookUp }
  }

  const noteUse = async (hash: Uint8Array, usedAt: number): Promise<void> => {
    const now = options.now()
    // A request is answered also where this cannot be written.
    if (Math.abs(now - usedAt) >= USE_MILLISECONDS)
      await sessions?.store.use(hash, now).catch(() => {})
  }

  return {
    async identify({ query, headers }) {
      const carried = readToken(memberOf(query, 'token'), headers.authorization)
      if (carried.kind === 'none') {
        const identity = await identifySession(headers)
        if (identity === undefined) throw refuse('The request carries no access token.')
        return identity
      }
      if (carried.kind === 'conflict')
        throw refuse('The query and the Authorization header carry different access tokens.')
      if (carried.kind === 'malformed') throw notValid('malformed')

      const secretHash = hashSecret(carried.token)
      const lookUp = () => findToken(secretHash)
      const found = await lookUp()
      if (typeof found === 'string') throw notValid(found)
      return { ...found, secretHash, lookUp }
    },

    async identifySession(headers) {
      const identity = await identifySession(headers)
      if (identity === undefined) throw refuse('Nobody is signed in.')
      return identity
    },
  }
}

const tokenFinder =
  ({ tokens, catalogue, now }: AuthenticatorOptions) =>
  async (hash: Uint8Array): Promise<Holder | Fault> => {
    const token = await tokens.find(hash)
    if (token === undefined) return 'unknown'
    if (token.isInvalidated) return 'invalidated'
    if (token.isExpired) return 'expired'
    if (token.expiresAt <= now()) {
      // So it stays expired when the clock is set back. After an error the next request tries again.
      await tokens.markExpired(hash, now()).catch(() => {})
      return 'expired'
    }
    // A clock that was far ahead issued it, and it would be valid for too long.
    if (token.issuedAt > now() + DAY) return 'expired'
    const site = await catalogue(token.siteVersion)
    if (!site.users.has(token.userId)) return 'user removed'
    const { applicationId: name, scope } = token
    return { caller: new Caller(token.userId, site), who: { kind: 'application', name }, scope }
  }

type SessionHolder = Holder & Required<Pick<Holder, 'session'>>

const sessionFinder =
  ({ catalogue, now }: AuthenticatorOptions, { store, ...limits }: SessionSource) =>
  async (hash: Uint8Array): Promise<SessionHolder | Fault> => {
    const session = await store.find(hash)
    if (session === undefined) return 'unknown'
    const { account } = session
    if (account.isDisabled) return 'account disabled'
    if (session.isEnded) return 'signed out'
    const expiresAt = sessionEnd(session, limits)
    if (expiresAt <= now()) {
      await store.end(hash, now()).catch(() => {})
      return 'expired'
    }
    if (session.createdAt > now() + DAY) return 'expired'
    const site = await catalogue(session.siteVersion)
    const { userId, name, role } = account
    if (userId !== null && !site.users.has(userId)) return 'user removed'
    const who = { kind: 'account', name } as const
    const caller = new Caller(userId, site, account)
    return { caller, who, scope: scopeOfRole(role), session: { ...session, expiresAt } }
  }

/** When a session ends if it is not used again. */
export const sessionEnd = (
  { usedAt, createdAt }: Pick<StoredSession, 'usedAt' | 'createdAt'>,
  { idleMilliseconds, longestMilliseconds }: SessionLimits,
): number => Math.min(usedAt + idleMilliseconds, createdAt + longestMilliseconds)

const refuse = (message: string, cause?: Fault) =>
  new RefusedError('unauthenticated', message, cause === undefined ? {} : { cause })

const notValid = (fault: Fault) => refuse('The access token is not valid.', fault)
