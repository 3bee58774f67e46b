import type { DataAlarm } from '../alarm-types.ts'
import { isMoreSevere, type Severity } from '../alarm-settings.ts'

/** One value of one item, with its instant and the number of its local day. */
export type ItemValue = Readonly<{ time: number; day: number; value: number }>

/**
 * What a rule says of a value: over a limit at a level, normal, or nothing, which is what it
 * says of late values and as long as it has seen too little.
 */
export type RuleOutcome = Readonly<{ level: number; limit: string }> | 'normal' | undefined

/**
 * A rule that looks beyond one value. The state is small plain JSON, `null` before the first
 * reading; the same reading again gives the same outcome and changes nothing.
 */
export type Rule<State = unknown> = Readonly<{
  alarm: DataAlarm
  evaluate(state: State | null, reading: ItemValue): { state: State | null; outcome: RuleOutcome }
}>

/** The worst of the levels whose limit is reached. */
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
