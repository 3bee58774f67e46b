import type { IncomingHttpHeaders } from 'node:http'
import type { AppScope } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import { readToken } from '../../domain/access/token.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { TokenStore } from '../../storage/storage.ts'
import { Caller } from './caller.ts'
import { memberOf } from '../requests/member-of.ts'

type AuthenticatorOptions = {
  tokens: Pick<TokenStore, 'find' | 'markExpired'>
  catalogue: CurrentCatalogue
  now(): number
}

type RequestParts = { query: unknown; headers: IncomingHttpHeaders }

/** The caller of a request, its application with its scope, and the hash of its token. */
export type Identity = {
  caller: Caller
  application: string
  scope: AppScope
  tokenHash: Uint8Array
}

/** The caller and application of a token, or why the token is not valid. */
export type TokenHolder = Omit<Identity, 'tokenHash'> | TokenFault

export type Authenticator = {
  /** Finds the caller of a request by its access token; throws a `RefusedError` without one. */
  identify(request: RequestParts): Promise<Identity>
  /** Looks a token up again. */
  lookUp(tokenHash: Uint8Array): Promise<TokenHolder>
}

/** Why a token is not valid. Only the log says it: the response is the same for all. */
type TokenFault = 'malformed' | 'unknown' | 'invalidated' | 'expired' | 'user removed'

const DAY = 86_400_000

/** Identifies callers by access tokens. */
export function authenticator({ tokens, catalogue, now }: AuthenticatorOptions): Authenticator {
  const find = async (hash: Uint8Array): Promise<TokenHolder> => {
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
    const { applicationId: application, scope } = token
    return { caller: new Caller(token.userId, site), application, scope }
  }

  return {
    async identify({ query, headers }) {
      const carried = readToken(memberOf(query, 'token'), headers.authorization)
      if (carried.kind === 'none') throw refuse('The request carries no access token.')
      if (carried.kind === 'conflict')
        throw refuse('The query and the Authorization header carry different access tokens.')
      if (carried.kind === 'malformed') throw notValid('malformed')

      const tokenHash = hashSecret(carried.token)
      const found = await find(tokenHash)
      if (typeof found === 'string') throw notValid(found)
      return { ...found, tokenHash }
    },

    lookUp: find,
  }
}

const refuse = (message: string, cause?: TokenFault) =>
  new RefusedError('unauthenticated', message, cause === undefined ? {} : { cause })

const notValid = (fault: TokenFault) => refuse('The access token is not valid.', fault)
