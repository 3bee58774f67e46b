import { randomBytes } from 'node:crypto'
import type { AccountRole } from '@plumbline/contract'
import { hashSecret } from '../src/domain/access/secret.ts'
import { hashPassword, SALT_BYTES } from '../src/domain/access/password-hash.ts'
import type { Storage } from '../src/storage/storage.ts'
import type { Call, HttpResponse, TestService } from './_service.ts'

type TestAccount = { name: string; role: AccountRole; userId: number | null }

export const PASSWORD = 'kites over the weir'

let hashed: Promise<string> | undefined

/** Adds an account with `PASSWORD`; returns its id. */
export async function addAccount({ accounts }: Storage, account: TestAccount): Promise<number> {
  const createdAt = Date.now()
  const id = await accounts.add({ ...account, displayName: account.name, createdAt })
  if (id === undefined) throw new Error(`there is already an account ${account.name}`)
  await accounts.setPassword(id, await hashOfPassword(), undefined, createdAt)
  return id
}

const hashOfPassword = (): Promise<string> =>
  (hashed ??= hashPassword(PASSWORD, randomBytes(SALT_BYTES)))

/** Gives an account `PASSWORD` again; of its sessions the one of the cookie stays. */
export async function restorePassword(
  { accounts }: Storage,
  name: string,
  cookie: string,
): Promise<void> {
  const account = await accounts.findByName(name)
  if (account === undefined) throw new Error(`there is no account ${name}`)
  const keep = hashSecret(cookie.split('=')[1] ?? '')
  await accounts.setPassword(account.id, await hashOfPassword(), keep, Date.now())
}

/** Opens a session without a request; returns the `Cookie` header. */
export async function openSession(
  { sessions }: Storage,
  accountId: number,
  createdAt = Date.now(),
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await sessions.add({ hash: hashSecret(secret), accountId, createdAt })
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
