import type { AlarmChange, DueRecord, NewestBounds, Storage } from '../storage/storage.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { AlarmStates } from './alarm-states.ts'

/** Planned changes of alarms, and the result for the caller. */
export type AlarmPlan<Result> = {
  changes: readonly AlarmChange[]
  /** The range in which the newest record of each station must lie for the changes to hold. */
  bounds?: readonly NewestBounds[]
  result: Result
}

/** An early record whose time has come: its station, instant and text. */
export type EarlyRow = { source: number; time: number; record: string; isNotified: boolean }

/** Commits changes of alarms that are not caused by incoming records. */
export interface AlarmCommits {
  /** The last instant at which a record is not early. */
  horizon(): number

  /**
   * Commits the changes that `plan` computes from the current states of these sources, and of no other
   * ones, also where there are none. After a conflict about alarms, also one that `plan` throws, it plans
   * again.
   */
  change<Result>(
    sources: Iterable<string>,
    plan: (states: AlarmStates) => Promise<AlarmPlan<Result>>,
  ): Promise<Result>

  /** Reads the states of sources from storage and changes nothing. */
  read(sources: Iterable<string>): Promise<AlarmStates>

  /** Evaluates early records whose time has come, and commits their alarm changes. */
  due(catalogue: Catalogue, records: readonly EarlyRow[], due: readonly DueRecord[]): Promise<void>
}

/** The parts with which changes of alarms are planned and committed. */
export type AlarmParts = { commits: AlarmCommits; storage: Pick<Storage, 'alarms' | 'records'> }
