import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError, type RefusedReason } from '../../../errors/refused-error.ts'
import { toError } from '../../../errors/thrown.ts'
import type { SealPreparation, SealRequest } from './seal-preparation.ts'

/** What the sealing process gets: first the database to open, then one request after the other. */
export type ToSealing<Database> = { database: Database } | { request: SealRequest }

/** The reply to a request. An error loses its class on the way, so `kind` stands for it. */
export type SealReply = { preparation: SealPreparation } | { error: Error; kind: ErrorKind }

type ErrorKind = 'damage' | 'fault' | { reason: RefusedReason; retryAfterSeconds?: number }

export function replyOf(thrown: unknown): SealReply {
  const { message, stack } = toError(thrown)
  return { error: Object.assign(new Error(message), { stack }), kind: kindOf(thrown) }
}

function kindOf(thrown: unknown): ErrorKind {
  if (thrown instanceof DamageError) return 'damage'
  if (!(thrown instanceof RefusedError)) return 'fault'
  const { reason, retryAfterSeconds } = thrown
  return { reason, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}

/** The preparation of a reply; throws its error. */
export function preparationOf(reply: SealReply): SealPreparation {
  if ('preparation' in reply) return reply.preparation
  const { error, kind } = reply
  if (kind === 'damage') throw new DamageError(error.message)
  if (kind === 'fault') throw error
  throw new RefusedError(kind.reason, error.message, kind)
}
