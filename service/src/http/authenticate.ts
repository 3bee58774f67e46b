import type { IncomingHttpHeaders } from 'node:http'
import { RefusedError } from '../domain/refused-error.ts'
import { hashSecret } from '../domain/secret.ts'
import { readToken } from '../domain/token.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { TokenStore } from '../storage/storage.ts'
import { Caller } from './caller.ts'

type Dependencies = {
  tokens: Pick<TokenStore, 'find' | 'markExpired'>
  catalogue: CurrentCatalogue
  now(): number
}

type Carrier = { query: unknown; headers: IncomingHttpHeaders }

/** A caller with the hash of the token it came with. */
export type Identified = { caller: Caller; tokenHash: Uint8Array }

export type Authenticator = {
  /** Finds out by its access token who sent a request, or refuses it. */
  identify(request: Carrier): Promise<Identified>
  /** Whether a token would still be let in. */
  isValid(tokenHash: Uint8Array): Promise<boolean>
}

/** Why a token is not valid, for the log only: the answer is the same for all. */
export type TokenFault = 'malformed' | 'unknown' | 'invalidated' | 'expired' | 'user removed'

const DAY = 86_400_000

export function authenticator({ tokens, catalogue, now }: Dependencies): Authenticator {
  const find = async (hash: Uint8Array): Promise<Caller | TokenFault> => {
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
    return site.users.has(token.userId) ? new Caller(token.userId, site) : 'user removed'
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
      return { caller: found, tokenHash }
    },

    isValid: async (tokenHash) => typeof (await find(tokenHash)) !== 'string',
  }
}

const refuse = (message: string, cause?: TokenFault) =>
  new RefusedError('unauthenticated', message, cause === undefined ? {} : { cause })

const notValid = (fault: TokenFault) => refuse('The access token is not valid.', fault)
