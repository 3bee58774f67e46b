import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf, toError } from '../../../errors/thrown.ts'
import { UnknownCommitError } from './commit.ts'

/** Seconds after which a client repeats a request that was refused. */
export const RETRY_SECONDS = 5

/** A connection of no more use; the message is the reason, as a part of a sentence. */
export class LostError extends Error {
  override name = 'LostError'
  /** SQLSTATE of a connection that failed. */
  readonly code = '08006'
}

/** A connection that was not opened for a reason that has no code of its own. */
export class NotConnectedError extends Error {
  override name = 'NotConnectedError'
  /** SQLSTATE of a client that cannot connect. */
  readonly code = '08001'

  constructor(cause: unknown) {
    super(toError(cause).message, { cause })
  }
}

/** Another transaction was in the way: the same one succeeds when it is run again. */
const CONTENTION = new Set(['40001', '40P01'])

export const isContention = (error: unknown): boolean => CONTENTION.has(codeOf(error) ?? '')

/** A row with this key exists. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505'

/**
 * Codes of a database that cannot serve at the moment: connections (class 08), resources (53, 58),
 * shutdown and start (57P), read-only after a fail-over (25006), a transaction that stood still (25P03),
 * a right that the role lacks (42501), a lock or statement that took too long.
 * XX000 comes from a worker of Citus that dies during a commit.
 */
const UNAVAILABLE = /^(08|53|57P|58)|^(25006|25P03|42501|55P03|57014|XX000)$/

/** Codes of the operating system when the server cannot be reached. */
const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** Texts of `pg` for a connection that ended, which have no code. */
const ENDED =
  /connection terminated|connection ended|not queryable|timeout exceeded|connection error/i

const DAMAGED = new Set(['XX001', 'XX002'])

/** Whether a failed statement says that the database cannot serve at the moment. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return ENDED.test(toError(error).message)
  return UNAVAILABLE.test(code) || UNREACHABLE.test(code)
}

/** Whether the connection ended: then nobody knows whether a commit under way has taken place. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return ENDED.test(toError(error).message)
  return /^(08|57P0[125]$|25P03$)/.test(code) || UNREACHABLE.test(code)
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^53100$/, 'the disk of the database is full'],
  [/^53300$/, 'the database has no connection left for this service'],
  [/^25006$/, 'the database only allows reading, as a standby does'],
  [/^57014$|^55P03$/, 'a statement took longer than storage.statementTimeoutSeconds'],
  [/^57P03$/, 'the database is starting or stopping'],
  [/^57P0[12]$/, 'the database was stopped or has crashed'],
]

const UNKNOWN_COMMIT =
  'The connection to the database was lost during a commit: what was sent may be stored. Send it again.'

/** Why the database cannot serve, as a part of a sentence. */
function reasonOf(error: unknown): string {
  if (error instanceof LostError) return error.message
  if (error instanceof NotConnectedError)
    return `no connection to the database can be opened (${error.message})`
  const code = codeOf(error) ?? ''
  if (code === '42501')
    return `the role of this service lacks a right (${toError(error).message}): run docs/postgres/roles.sql again, or grant it`
  const known = REASONS.find(([pattern]) => pattern.test(code))
  if (known !== undefined) return known[1]
  if (UNREACHABLE.test(code)) return `the database cannot be reached (${code})`
  return code === ''
    ? 'the connection to the database was lost'
    : `the database does not answer (${code})`
}

/** The error of a failed statement for those who called it. */
export function explain(error: unknown, what: 'stored' | 'read'): unknown {
  const code = codeOf(error)
  if (code !== undefined && DAMAGED.has(code))
    return new DamageError(`the database reports damage (${code}): ${toError(error).message}`)
  if (error instanceof UnknownCommitError)
    return new RefusedError('unavailable', UNKNOWN_COMMIT, {
      retryAfterSeconds: RETRY_SECONDS,
      cause: error,
    })
  if (!isUnavailable(error) && !isContention(error)) return error
  return new RefusedError(
    'unavailable',
    `Nothing can be ${what} at the moment: ${reasonOf(error)}.`,
    { retryAfterSeconds: RETRY_SECONDS, cause: error },
  )
}
