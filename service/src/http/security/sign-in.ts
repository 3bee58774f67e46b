import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '@plumbline/contract'
import type { SignInThrottle } from '../../access/sign-in-throttle.ts'
import { scopeOfRole } from '../../domain/access/account-roles.ts'
import { UNKNOWN_PASSWORD } from '../../domain/access/password-hash.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import { findTotpStep } from '../../domain/access/totp.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type {
  AccountSecrets,
  CheckedAccount,
  Storage,
  StoredAccount,
} from '../../storage/storage.ts'
import { sessionEnd, type SessionLimits } from './authenticate.ts'
import type { PasswordChecks } from './password-checks.ts'
import { formatSessionCookie } from './session-cookie.ts'

export type SignInOptions = {
  storage: Pick<Storage, 'accounts' | 'sessions'>
  catalogue: CurrentCatalogue
  passwords: PasswordChecks
  throttle: SignInThrottle
  sessionLimits: SessionLimits
  now(): number
}

type Credentials = { name: string; password: string; code?: string }

/** The account of a name, password and code; throws a `RefusedError` for wrong ones. */
export async function identifyAccount(
  request: FastifyRequest,
  credentials: Credentials,
  options: SignInOptions,
): Promise<StoredAccount & CheckedAccount> {
  const name = credentials.name.trim().toLowerCase()
  const account = await checkPassword(request, { ...credentials, name }, options)
  const { users } = await options.catalogue()
  const mayEnter = !account.isDisabled && (account.userId === null || users.has(account.userId))
  if (!mayEnter) throw await fail(request, name, options)
  if (account.isTotpConfirmed) await checkCode(request, account, credentials.code, options)
  return account
}

/** Throws for a password that is not the one of the account; an unknown name takes as long. */
export async function checkPassword(
  request: FastifyRequest,
  { name, password }: Pick<Credentials, 'name' | 'password'>,
  options: SignInOptions,
): Promise<StoredAccount & AccountSecrets & CheckedAccount> {
  const { storage, passwords, throttle } = options
  const { clientAddress } = request
  const seconds = throttle.waitSeconds(clientAddress, name)
  if (seconds > 0) throw tooMany(request, seconds)
  const account = await storage.accounts.findByName(name)
  const stored = account?.password ?? UNKNOWN_PASSWORD
  const isRight = await passwords.isPasswordOf(clientAddress, stored, password)
  // While this one waited, others that were sent with it may have been wrong.
  const isLate = throttle.waitSeconds(clientAddress, name) > 0
  if (account === undefined || !isRight || isLate) throw await fail(request, name, options)
  throttle.noteRight(clientAddress, name)
  return { ...account, password: stored }
}

async function checkCode(
  request: FastifyRequest,
  account: StoredAccount & AccountSecrets,
  code: string | undefined,
  options: SignInOptions,
): Promise<void> {
  if (code === undefined)
    throw new RefusedError(
      'unauthenticated',
      'The account asks for the code of its authenticator.',
      { responseName: 'CodeRequired' },
    )
  const { storage, throttle } = options
  const { name } = account
  const seconds = throttle.waitSecondsOfCode(name)
  if (seconds > 0) throw tooMany(request, seconds)
  const secret = account.totpSecret ?? new Uint8Array()
  const step = findTotpStep(secret, code, options.now())
  const isNew = step !== undefined && (await storage.accounts.acceptTotp(account.id, secret, step))
  if (!isNew) throw refusal(request, await throttle.failCode(request.clientAddress, name))
}

/** Counts a wrong password. */
const fail = async (request: FastifyRequest, name: string, { throttle }: SignInOptions) =>
  refusal(request, await throttle.fail(request.clientAddress, name))

function refusal(request: FastifyRequest, seconds: number): RefusedError {
  request.security.reason = 'credentials'
  return seconds > 0 ? tooMany(request, seconds) : wrong()
}

const wrong = () =>
  new RefusedError('unauthenticated', 'The name, the password or the code is wrong.', {
    responseName: 'SignInError',
  })

function tooMany(request: FastifyRequest, seconds: number): RefusedError {
  request.security.reason = 'credentials'
  const message = 'Too many passwords for this name or from this address.'
  return new RefusedError('tooMany', message, { retryAfterSeconds: seconds })
}

/** Opens a session of an account that has not changed since it was checked, and sets its cookie. */
export async function openSession(
  request: FastifyRequest,
  reply: FastifyReply,
  account: StoredAccount & CheckedAccount,
  { storage, sessionLimits, now }: SignInOptions,
): Promise<Session> {
  const secret = randomBytes(32).toString('base64url')
  const createdAt = now()
  const session = { hash: hashSecret(secret), checked: account, createdAt }
  if (!(await storage.sessions.add(session))) throw wrong()
  request.security.account = account.name
  const seconds = sessionLimits.longestMilliseconds / 1000
  reply.header('set-cookie', formatSessionCookie(secret, seconds))
  const expiresAt = sessionEnd({ usedAt: createdAt, createdAt }, sessionLimits)
  return toSession({ ...account, lastSignInAt: createdAt }, expiresAt)
}

export const toSession = (account: StoredAccount, expiresAt: number): Session => ({
  account: toAccount(account),
  userId: account.userId,
  role: account.role,
  scope: scopeOfRole(account.role),
  expiresAt,
})

/** An account without its secrets. */
export const toAccount = ({
  id,
  name,
  displayName,
  role,
  userId,
  hasTotp,
  isDisabled,
  createdAt,
  lastSignInAt,
}: StoredAccount): StoredAccount => ({
  id,
  name,
  displayName,
  role,
  userId,
  hasTotp,
  isDisabled,
  createdAt,
  lastSignInAt,
})
