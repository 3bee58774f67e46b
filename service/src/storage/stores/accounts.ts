import type { AccountRole } from '@plumbline/contract'

export type StoredAccount = {
  id: number
  name: string
  displayName: string
  role: AccountRole
  /** The user of the site file; null: every structure. */
  userId: number | null
  hasTotp: boolean
  isDisabled: boolean
  createdAt: number
  lastSignInAt: number | null
}

/** What signing in compares. */
export type AccountSecrets = {
  /** PHC text; null: nobody can sign in until a one-time link is used. */
  password: string | null
  /** The secret of the authenticator; null without one. */
  totpSecret: Uint8Array | null
  isTotpConfirmed: boolean
  /** The time step of the last code that was accepted. */
  totpStep: number
}

export type LinkPurpose = 'first' | 'invitation' | 'reset'

export type OneTimeLink = {
  purpose: LinkPurpose
  /** Null for the first administrator. */
  account: StoredAccount | null
  /** Null: until it is used. */
  expiresAt: number | null
}

export interface AccountStore {
  /** Stores an account without a password; undefined where the name is taken. */
  add(
    account: Pick<StoredAccount, 'name' | 'displayName' | 'role' | 'userId' | 'createdAt'>,
  ): Promise<number | undefined>

  /** All accounts by name. */
  list(): Promise<StoredAccount[]>

  find(id: number): Promise<StoredAccount | undefined>

  /** Finds an account by its sign-in name, with what signing in compares. */
  findByName(name: string): Promise<(StoredAccount & AccountSecrets) | undefined>

  /** Changes an account; a disabled one keeps its password, and its sessions end. */
  change(
    id: number,
    values: Pick<StoredAccount, 'displayName' | 'role' | 'userId' | 'isDisabled'>,
    now: number,
  ): Promise<boolean>

  /** Sets a password, and ends all sessions of the account but the one named. */
  setPassword(
    id: number,
    password: string,
    keep: Uint8Array | undefined,
    now: number,
  ): Promise<void>

  /** Removes password and authenticator, ends all sessions, and makes earlier links useless. */
  reset(id: number, now: number): Promise<void>

  /** Stores the secret of an authenticator, which counts once it is confirmed. */
  beginTotp(id: number, secret: Uint8Array): Promise<void>

  /** Accepts the code of a time step once; false where it or a later one was accepted before. */
  acceptTotp(id: number, step: number): Promise<boolean>

  removeTotp(id: number): Promise<void>

  /** Stores a one-time link by the hash of its secret; of the first administrator the newest holds. */
  addLink(link: {
    hash: Uint8Array
    purpose: LinkPurpose
    accountId: number | null
    createdAt: number
    expiresAt: number | null
  }): Promise<void>

  /** Finds a link that was not used. */
  findLink(hash: Uint8Array): Promise<OneTimeLink | undefined>

  /** Uses a link up, those of the first administrator all together; true for one caller only. */
  takeLink(hash: Uint8Array, purpose: LinkPurpose): Promise<boolean>

  /** Deletes links that expired before an instant. */
  deleteExpiredLinks(before: number): Promise<void>
}
