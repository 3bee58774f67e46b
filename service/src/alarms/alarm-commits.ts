import type { AlarmChange, DueRecord, NewestBounds, Storage } from '../storage/storage.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { AlarmStates } from './alarm-states.ts'
import type { EvaluationRecord } from './record-evaluation.ts'

/** Planned changes of alarms, and the result for the caller. */
export type AlarmPlan<Result> = {
  changes: readonly AlarmChange[]
  /** The range in which the newest record of each station must lie for the changes to hold. */
  bounds?: readonly NewestBounds[]
  result: Result
}

/** Commits changes of alarms that no incoming record causes. */
export interface AlarmCommits {
  /** The last instant at which a record is not early. */
  horizon(): number

  /**
   * Commits what `plan` makes of the current states, also where that is nothing. After a conflict
   * about alarms, also one that `plan` throws, it is planned again.
   */
  change<Result>(plan: (states: AlarmStates) => Promise<AlarmPlan<Result>>): Promise<Result>

  /** Reads the states from storage and changes nothing. */
  read(): Promise<AlarmStates>

  /** Evaluates early records whose time has come, and commits what they mean. */
  due(
    catalogue: Catalogue,
    records: readonly EvaluationRecord[],
    due: readonly DueRecord[],
  ): Promise<void>
}

/** What planned changes of alarms are computed from and committed with. */
export type AlarmParts = { commits: AlarmCommits; storage: Pick<Storage, 'alarms' | 'records'> }
