import type { Retained } from '../../domain/retention-term.ts'

export type Forgetting = {
  kind: Retained
  /** Station id, the number of a sensor, or for traffic the structure. */
  source: number
  /** What is older than this instant goes. */
  before: number
  /** About how many records go at once. */
  limit: number
}

export interface RetentionStore {
  /**
   * Forgets the oldest records of a source, a few at a time; done when none is left to go.
   *
   * A sealed part goes when all of it is old enough. Until then it stays whole.
   */
  forget(what: Forgetting): Promise<{ records: number; isDone: boolean }>

  /** How many records `forget` would take away; a corrected one counts as both that are kept. */
  count(what: Omit<Forgetting, 'limit'>): Promise<number>
}
