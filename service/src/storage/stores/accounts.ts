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

/**
 * What a person's password was found to belong to. Comparing takes a while: a change that rests on it is
 * made only where the account still has this password, and is not disabled.
 */
export type CheckedAccount = { id: number; password: string; isTotpConfirmed: boolean }

export type LinkPurpose = 'first' | 'invitation' | 'reset'

export type OneTimeLink = {
  purpose: LinkPurpose
  /** Null for the first administrator. */
  account: StoredAccount | null
  /** Null: until it is used. */
  expiresAt: number | null
}

export type NewAccount = Pick<
  StoredAccount,
  'name' | 'displayName' | 'role' | 'userId' | 'createdAt'
>

export interface AccountStore {
  /** Stores an account without a password; undefined where the name is taken. */
  add(account: NewAccount): Promise<number | undefined>

  /** All accounts by name. */
  list(): Promise<StoredAccount[]>

  find(id: number): Promise<StoredAccount | undefined>

  /** Finds an account by its id, with what signing in compares. */
  findSecrets(id: number): Promise<(StoredAccount & AccountSecrets) | undefined>

  /** Finds an account by its sign-in name, with what signing in compares. */
  findByName(name: string): Promise<(StoredAccount & AccountSecrets) | undefined>

  /**
   * Changes an account; a disabled one keeps its password, and its sessions end. False where there is no
   * such account, or where none would be left that manages all accounts.
   */
  change(
    id: number,
    values: Pick<StoredAccount, 'displayName' | 'role' | 'userId' | 'isDisabled'>,
    now: number,
  ): Promise<boolean>

  /** Sets a password whatever it was before, and ends all sessions of the account. */
  setPassword(id: number, password: string, now: number): Promise<void>

  /**
   * Sets the password of an account in place of the one that was checked, and ends all its sessions but
   * the one named; false where that one has ended or the account has changed.
   */
  changePassword(
    checked: CheckedAccount,
    password: string,
    { keep, now }: { keep: Uint8Array; now: number },
  ): Promise<boolean>

  /** Removes password and authenticator, ends all sessions, and makes earlier links useless. */
  reset(id: number, now: number): Promise<void>

  /**
   * Stores the secret of an authenticator, which counts once it is confirmed; false where the account
   * has changed or has one that is.
   */
  beginTotp(checked: CheckedAccount, secret: Uint8Array): Promise<boolean>

  /**
   * Accepts the code of a time step once; false where it or a later one was accepted before, or where the
   * account has another secret by now.
   */
  acceptTotp(id: number, secret: Uint8Array, step: number): Promise<boolean>

  /** Removes the authenticator; false where the account has changed. */
  removeTotp(checked: CheckedAccount): Promise<boolean>

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

  /**
   * Uses a link of an account up, sets the password, and ends all sessions; false where the link was used
   * or replaced, or the account is disabled.
   */
  acceptLink(
    hash: Uint8Array,
    { accountId, password, now }: { accountId: number; password: string; now: number },
  ): Promise<boolean>

  /**
   * Uses up all links of the first administrator, and adds that account with its password; undefined
   * where the link was used or the name is taken.
   */
  acceptFirstLink(
    hash: Uint8Array,
    account: NewAccount & { password: string },
  ): Promise<number | undefined>

  /** Deletes links that expired before an instant. */
  deleteExpiredLinks(before: number): Promise<void>
}
