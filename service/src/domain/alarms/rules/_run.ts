import type { Quality } from '../../quality/quality.ts'
import { DAY_MS } from '../../time/wall-clock.ts'
import type { ItemValue, Rule, RuleOutcome } from './rule.ts'

export const reading = (time: number, value: number): ItemValue => {
  return { time, day: Math.floor(time / DAY_MS), value }
}

/** Values that come one an hour. */
export const hourly = (...values: number[]): ItemValue[] =>
  values.map((value, index) => reading(index * 3_600_000, value))

/**
 * The outcomes of readings, one after the other, the quality that each is given, and what is
 * remembered at the end.
 */
export function run<State>(rule: Rule<State>, readings: readonly ItemValue[]): Results<State> {
  let state: State | null = null
  const outcomes: RuleOutcome[] = []
  const qualities: Results<State>['qualities'] = []
  for (const one of readings) {
    const result: ReturnType<typeof rule.evaluate> = rule.evaluate(state, one)
    ;({ state } = result)
    outcomes.push(result.outcome)
    qualities.push(result.quality)
  }
  return { state, outcomes, qualities }
}

type Results<State> = {
  state: State | null
  outcomes: RuleOutcome[]
  qualities: (Quality | undefined)[]
}
