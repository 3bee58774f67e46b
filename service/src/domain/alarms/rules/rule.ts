import type { DataAlarm } from '../alarm-types.ts'
import { isWorse, type Severity } from '../alarm-settings.ts'

/** One value of one item, with its instant and the number of its local day. */
export type Reading = Readonly<{ time: number; day: number; value: number }>

/**
 * What a rule says of a reading: over a limit at a level, calm, or nothing, which is what it
 * says of late readings and as long as it has seen too little.
 */
export type RuleOutcome = Readonly<{ level: number; limit: string }> | 'calm' | undefined

/**
 * A rule that looks beyond one value. The state is small plain JSON, `null` before the first
 * reading; the same reading again gives the same outcome and changes nothing.
 */
export type Rule<State = unknown> = Readonly<{
  alarm: DataAlarm
  observe(state: State | null, reading: Reading): { state: State | null; outcome: RuleOutcome }
}>

/** The worst of the levels whose limit is reached. */
export function worstReached<Limit extends { level: number }>(
  limits: readonly Limit[],
  isReached: (limit: Limit) => boolean,
  severity: Severity,
): Limit | undefined {
  let worst: Limit | undefined
  for (const limit of limits) {
    if (!isReached(limit)) continue
    if (worst === undefined || isWorse(limit.level, worst.level, severity)) worst = limit
  }
  return worst
}
