import { randomBytes } from 'node:crypto'
import type { AccountRole } from '@plumbline/contract'
import { hashSecret } from '../src/domain/access/secret.ts'
import { hashPassword, SALT_BYTES } from '../src/domain/access/password-hash.ts'
import type { CheckedAccount, Storage } from '../src/storage/storage.ts'
import type { Call, HttpResponse, TestService } from './_service.ts'

type TestAccount = { name: string; role: AccountRole; userId: number | null }

export const PASSWORD = 'kites over the weir'

let hashed: Promise<string> | undefined

/** Adds an account with `PASSWORD`; returns its id. */
export async function addAccount({ accounts }: Storage, account: TestAccount): Promise<number> {
  const createdAt = Date.now()
  const id = await accounts.add({ ...account, displayName: account.name, createdAt })
  if (id === undefined) throw new Error(`there is already an account ${account.name}`)
  await givePassword(accounts, id)
  return id
}

/** Gives an account `PASSWORD`, whatever it had. */
export const givePassword = async (accounts: Storage['accounts'], id: number): Promise<void> =>
  accounts.setPassword(id, await hashOfPassword(), Date.now())

const hashOfPassword = (): Promise<string> =>
  (hashed ??= hashPassword(PASSWORD, randomBytes(SALT_BYTES)))

/** Gives an account `PASSWORD` again; of its sessions the one of the cookie stays. */
export async function restorePassword(
  { accounts }: Storage,
  name: string,
  cookie: string,
): Promise<void> {
  const checked = await checkedOf(accounts, name)
  const keep = hashSecret(cookie.split('=')[1] ?? '')
  const now = Date.now()
  if (!(await accounts.changePassword(checked, await hashOfPassword(), { keep, now })))
    throw new Error(`the account ${name} or its session has changed`)
}

/** An account as after its password was compared. */
export async function checkedOf(
  accounts: Storage['accounts'],
  name: string,
): Promise<CheckedAccount> {
  const found = await accounts.findByName(name)
  if (found === undefined || found.password === null)
    throw new Error(`there is no account ${name} with a password`)
  return { ...found, password: found.password }
}

/** Opens a session without a request; returns the `Cookie` header. */
export async function openSession(
  { accounts, sessions }: Storage,
  accountId: number,
  createdAt = Date.now(),
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const checked = await checkedOf(accounts, (await accounts.find(accountId))?.name ?? '')
  if (!(await sessions.add({ hash: hashSecret(secret), checked, createdAt })))
    throw new Error(`the account ${checked.id} has changed`)
  return `__Host-plumbline=${secret}`
}

/** The `Cookie` header of a response that opened a session. */
export function cookieOf({ headers }: HttpResponse): string {
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat()
  return cookie.split(';', 1)[0] ?? ''
}

/** A call as a page of the service makes it. */
export const fromPage = (method: string, body?: unknown, cookie?: string): Call => ({
  method,
  headers: {
    'sec-fetch-site': 'same-origin',
    ...(cookie === undefined ? {} : { cookie }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  },
  body: body === undefined ? undefined : JSON.stringify(body),
})

/** Signs in over HTTP. */
export const signIn = (
  service: TestService,
  body: { name: string; password?: string; code?: string },
  localAddress?: string,
): Promise<HttpResponse> =>
  service.call('/manage/v1/session', {
    ...fromPage('POST', { password: PASSWORD, ...body }),
    localAddress,
  })
