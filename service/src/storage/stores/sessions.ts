import type { CheckedAccount, StoredAccount } from './accounts.ts'

export type StoredSession = {
  account: StoredAccount
  createdAt: number
  /** When it was last used, to the minute. */
  usedAt: number
  isEnded: boolean
  /** The version of the site, so that each request needs one query for both. */
  siteVersion: number
}

export interface SessionStore {
  /**
   * Stores a session by the hash of its secret, and when its account has signed in; false where the
   * account has changed since it was checked.
   */
  add(session: { hash: Uint8Array; checked: CheckedAccount; createdAt: number }): Promise<boolean>

  /** Finds a session, ended ones too. */
  find(hash: Uint8Array): Promise<StoredSession | undefined>

  /** Notes that a session was used. */
  use(hash: Uint8Array, now: number): Promise<void>

  /** Ends a session, which stays so when the clock is set back. */
  end(hash: Uint8Array, now: number): Promise<void>

  /** Deletes sessions that were last used before an instant; returns how many. */
  deleteUnused(before: number): Promise<number>
}
