import type { RetainedKind } from '../../domain/retention/retention-period.ts'
import type { DailyShare, DayCount } from '../../domain/retention/retention-share.ts'

export type Expiry = {
  kind: RetainedKind
  /** Station id, the number of a sensor, or for traffic the structure. */
  source: number
  /** What is older than this instant goes. */
  before: number
  /** About how many records go at once. */
  limit: number
  /** Whose share of the day they are taken from, in the transaction in which they go. */
  shareOf?: number | undefined
}

export type GrantedShare = DailyShare & { grantedAt: number }

export interface RetentionStore {
  /**
   * Deletes the oldest records of a source, a few at a time; done when none is left to go.
   *
   * A sealed part goes when all of it is old enough. Until then it stays whole.
   */
  expire(what: Expiry): Promise<{ records: number; isDone: boolean }>

  /** How many records `expire` would take away; a corrected one counts as both that are kept. */
  count(what: Omit<Expiry, 'limit' | 'shareOf'>): Promise<number>

  /** The instant of the oldest record of a source; sealed ones count from the start of their part. */
  findOldest(kind: RetainedKind, source: number): Promise<number | undefined>

  /** An instant that a record of a source has, the newest up to another one. */
  findNewest(kind: RetainedKind, source: number, upTo: number): Promise<number | undefined>

  /** About how many records a source has on each day of UTC. */
  countDays(kind: RetainedKind, source: number): Promise<DayCount[]>

  /** What may go of a structure's records, as it was granted last and as much as is left of it. */
  findShare(structure: number, kind: RetainedKind): Promise<GrantedShare | undefined>

  putShare(structure: number, kind: RetainedKind, share: GrantedShare): Promise<void>
}
