import type { IncomingHttpHeaders } from 'node:http'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import { readToken } from '../../domain/access/token.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { TokenStore } from '../../storage/storage.ts'
import { Caller } from './caller.ts'

type Dependencies = {
  tokens: Pick<TokenStore, 'find' | 'markExpired'>
  catalogue: CurrentCatalogue
  now(): number
}

type Carrier = { query: unknown; headers: IncomingHttpHeaders }

/** A caller, the application that it uses, and the hash of the token it came with. */
export type Identified = { caller: Caller; application: string; tokenHash: Uint8Array }

/** Who has a token by now, or why it is not valid any more. */
export type TokenHolder = Omit<Identified, 'tokenHash'> | TokenFault

export type Authenticator = {
  /** Finds out by its access token who sent a request, or refuses it. */
  identify(request: Carrier): Promise<Identified>
  /** Finds out whether a token would still be let in. */
  lookUp(tokenHash: Uint8Array): Promise<TokenHolder>
}

/** Why a token is not valid, for the log only: the answer is the same for all. */
export type TokenFault = 'malformed' | 'unknown' | 'invalidated' | 'expired' | 'user removed'

const DAY = 86_400_000

export function authenticator({ tokens, catalogue, now }: Dependencies): Authenticator {
  const find = async (hash: Uint8Array): Promise<TokenHolder> => {
    const token = await tokens.find(hash)
    if (token === undefined) return 'unknown'
    if (token.isInvalidated) return 'invalidated'
    if (token.isExpired) return 'expired'
    if (token.expiresAt <= now()) {
      // Marked, it stays expired when the clock is set back; unmarked, the next request tries again.
      await tokens.markExpired(hash, now()).catch(() => {})
      return 'expired'
    }
    // Issued by a clock that was far ahead, it would live for longer than a token lives.
    if (token.issuedAt > now() + DAY) return 'expired'
    const site = await catalogue(token.siteVersion)
    if (!site.users.has(token.userId)) return 'user removed'
    return { caller: new Caller(token.userId, site), application: token.applicationId }
  }

  return {
    async identify({ query, headers }) {
      const { token: inQuery } = (query ?? {}) as { token?: unknown }
      const carried = readToken(inQuery, headers.authorization)
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
