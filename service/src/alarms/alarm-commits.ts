import type { AlarmChange, DueRecord, NewestBounds, Storage } from '../storage/storage.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { AlarmStates } from './alarm-states.ts'
import type { EvaluationRecord } from './record-evaluation.ts'

/** Changes of alarms that are planned by their states, and what the caller is answered. */
export type AlarmPlan<Result> = {
  changes: readonly AlarmChange[]
  /** Between what the newest records must lie for the changes to hold. */
  bounds?: readonly NewestBounds[]
  result: Result
}

/** Commits changes of alarms beside records that come in. */
export interface AlarmCommits {
  /** The last instant at which a record is not early. */
  horizon(): number

  /**
   * Commits what is planned by the states as they stand, also where that is nothing. After a
   * conflict about alarms, also one that the plan throws, it is planned again.
   */
  change<Result>(plan: (states: AlarmStates) => Promise<AlarmPlan<Result>>): Promise<Result>

  /** Reads the states as they stand in storage, and changes nothing. */
  read(): Promise<AlarmStates>

  /** Commits what early records mean whose time has come; they wait no longer. */
  due(
    catalogue: Catalogue,
    records: readonly EvaluationRecord[],
    due: readonly DueRecord[],
  ): Promise<void>
}

/** What plans of alarm changes read. */
export type AlarmParts = { commits: AlarmCommits; storage: Pick<Storage, 'alarms' | 'data'> }
