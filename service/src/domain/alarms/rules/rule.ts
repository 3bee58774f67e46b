import type { Quality } from '../../quality/quality.ts'
import type { DataAlarm } from '../alarm-types.ts'
import { isMoreSevere, type Severity } from '../alarm-settings.ts'

/** A value of an item with its instant and the number of its local day. */
export type ItemValue = Readonly<{ time: number; day: number; value: number }>

/**
 * The outcome of a value: over the limit of a level, normal, or undefined for a late value and as
 * long as the rule has too few values.
 */
export type RuleOutcome = Readonly<{ level: number; limit: string }> | 'normal' | undefined

/** The states of the rules and on-delays of a station, by their keys: plain JSON. */
export type RuleStates = Readonly<Record<string, unknown>>

/** What a rule makes of a value: its next state, its outcome, and the quality that it gives the value. */
type RuleResult<State> = {
  state: State | null
  outcome: RuleOutcome
  /** Missing where the rule says nothing against the value. */
  quality?: Quality | undefined
}

/**
 * A rule of one item. Its state is small plain JSON, `null` before the first value. The same value
 * again has the same result and changes nothing.
 */
export type Rule<State = unknown> = Readonly<{
  /** What its violations raise; `null` for a rule that only judges the quality of values. */
  alarm: DataAlarm | null
  evaluate(state: State | null, reading: ItemValue): RuleResult<State>
}>

/** Returns the most severe of the limits that are reached. */
export function mostSevereReached<Limit extends { level: number }>(
  limits: readonly Limit[],
  isReached: (limit: Limit) => boolean,
  severity: Severity,
): Limit | undefined {
  let worst: Limit | undefined
  for (const limit of limits) {
    if (!isReached(limit)) continue
    if (worst === undefined || isMoreSevere(limit.level, worst.level, severity)) worst = limit
  }
  return worst
}
