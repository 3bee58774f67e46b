import { randomBytes } from 'node:crypto'
import type { AccountRole } from '@plumbline/contract'
import { hashSecret } from '../domain/access/secret.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { LinkPurpose, Storage, StoredAccount } from '../storage/storage.ts'

type Accounts = Pick<Storage, 'accounts'>

type AccountPlan = { name: string; displayName: string; role: AccountRole; userId: number | null }

/** Creates an account without a password; throws where it may not be. */
export async function createAccount(
  { accounts }: Accounts,
  plan: AccountPlan,
  { catalogue, now }: { catalogue: Catalogue; now: number },
): Promise<StoredAccount> {
  requireUser(plan, catalogue)
  requireReadable(plan)
  const name = plan.name.toLowerCase()
  const id = await accounts.add({ ...plan, name, createdAt: now })
  const account = id === undefined ? undefined : await accounts.find(id)
  if (account === undefined)
    throw new RefusedError('invalid', `there is already an account ${name}`)
  return account
}

/** Changes an account; throws where it may not be so. */
export async function changeAccount(
  { accounts }: Accounts,
  account: StoredAccount,
  values: Omit<AccountPlan, 'name'> & { isDisabled: boolean },
  { catalogue, now }: { catalogue: Catalogue; now: number },
): Promise<StoredAccount> {
  requireUser(values, catalogue)
  requireReadable(values)
  if (!(await accounts.change(account.id, values, now)))
    throw new RefusedError(
      'invalid',
      `${account.name} is the last account that manages all accounts: create another administrator first`,
    )
  return { ...account, ...values }
}

function requireUser(
  { role, userId }: Pick<AccountPlan, 'role' | 'userId'>,
  { users }: Catalogue,
): void {
  if (userId !== null && !users.has(userId))
    throw new RefusedError('invalid', `the site has no user ${userId}`)
  if (userId === null && role !== 'administrator')
    throw new RefusedError(
      'invalid',
      `an account with the role ${role} needs "userId", the user of the site file whose structures it sees`,
    )
}

/** Control characters, and those that turn the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

/** Others read the display name: it must not hide who it is. */
function requireReadable({ displayName }: Pick<AccountPlan, 'displayName'>): void {
  if (displayName.trim() === '') throw new RefusedError('invalid', 'the display name is blank')
  if (UNSEEN.test(displayName))
    throw new RefusedError(
      'invalid',
      'the display name has a control character or one that turns the direction of text: leave it out',
    )
}

/** How long a one-time link holds. */
const LINK_MILLISECONDS = 72 * 3_600_000

/** Stores a one-time link, and returns its secret. */
export async function makeLink(
  { accounts }: Accounts,
  { purpose, accountId, now }: { purpose: LinkPurpose; accountId: number | null; now: number },
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const expiresAt = purpose === 'first' ? null : now + LINK_MILLISECONDS
  await accounts.addLink({
    hash: hashSecret(secret),
    purpose,
    accountId,
    createdAt: now,
    expiresAt,
  })
  return secret
}

/** The address of a one-time link; the fragment reaches no log. */
export const linkOf = (origin: string, secret: string): string =>
  `${origin}/console/#/welcome/${secret}`
