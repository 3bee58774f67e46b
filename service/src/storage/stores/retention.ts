import type { RetainedKind } from '../../domain/retention/retained-kind.ts'
import type { DailyShare, DayCount } from '../../domain/retention/retention-share.ts'

export type Expiry = {
  kind: RetainedKind
  /** The id of a station, the key of a sensor, or for traffic the id of a structure. */
  source: number
  /** Records before this instant are deleted. */
  before: number
  /** About the number of records that are deleted at once. */
  limit: number
  /** The structure from whose share of the day they are taken, in the same transaction. */
  shareOf?: number | undefined
}

export type GrantedShare = DailyShare & { grantedAt: number }

export interface RetentionStore {
  /**
   * Deletes the oldest records of a source, about `limit`; `isDone` when no expired record is left.
   *
   * A sealed part is deleted as a whole when all its records have expired.
   */
  expire(what: Expiry): Promise<{ records: number; isDone: boolean }>

  /** Counts the records that `expire` would delete; a correction and the record under it count as two. */
  count(what: Omit<Expiry, 'limit' | 'shareOf'>): Promise<number>

  /** The instant of the oldest record of a source; of a sealed part its start. */
  findOldest(kind: RetainedKind, source: number): Promise<number | undefined>

  /** The newest instant up to `upTo` that a record of a source is known to have. */
  findNewest(kind: RetainedKind, source: number, upTo: number): Promise<number | undefined>

  /** About how many records a source has on each day of UTC. */
  countDays(kind: RetainedKind, source: number): Promise<DayCount[]>

  /** The share that was granted last to the records of a structure, and what is left of it. */
  findShare(structure: number, kind: RetainedKind): Promise<GrantedShare | undefined>

  putShare(structure: number, kind: RetainedKind, share: GrantedShare): Promise<void>
}
