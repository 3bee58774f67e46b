import type { AppScope } from '@plumbline/contract'

export type Token = {
  applicationId: string
  userId: number
  /** The scope of its application. */
  scope: AppScope
  issuedAt: number
  expiresAt: number
  isInvalidated: boolean
  /** Whether it had expired once, even if the clock was set back since. */
  isExpired: boolean
  /** The version of the site, so that each request needs one query for both. */
  siteVersion: number
}

export interface TokenStore {
  add(token: {
    hash: Uint8Array
    applicationId: string
    issuedAt: number
    expiresAt: number
  }): Promise<void>

  /** Finds a token of an application that is not revoked, expired and invalidated ones too. */
  find(hash: Uint8Array): Promise<Token | undefined>

  /** Invalidates a token of this application; ignores any other. */
  invalidate(hash: Uint8Array, applicationId: string, now: number): Promise<void>

  /** Marks a token as expired, so that it stays so when the clock is set back. */
  markExpired(hash: Uint8Array, now: number): Promise<void>

  /** Marks all tokens that have expired by an instant; returns how many. */
  markAllExpired(expiredBy: number): Promise<number>

  /** Deletes tokens that expired before an instant; returns how many. */
  deleteExpired(before: number): Promise<number>
}
