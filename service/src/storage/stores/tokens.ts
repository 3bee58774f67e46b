export type Token = {
  applicationId: string
  userId: number
  issuedAt: number
  expiresAt: number
  isInvalidated: boolean
  /** Whether it was found expired before, by whatever the clock said then. */
  isExpired: boolean
  /** The site's version at the same moment: one look-up answers both with every request. */
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

  /** Invalidates a token of this application; a foreign or unknown one stays as it is. */
  invalidate(hash: Uint8Array, applicationId: string, now: number): Promise<void>

  /** Keeps that a token has expired, for the case that the clock is set back. */
  markExpired(hash: Uint8Array, now: number): Promise<void>

  /** Marks all tokens that had expired by an instant; returns how many. */
  markAllExpired(expiredBy: number): Promise<number>

  /** Forgets tokens that expired before an instant; returns how many. */
  deleteExpired(before: number): Promise<number>
}
