import type { RateSettings, Severity } from '../alarm-settings.ts'
import { countedChange, formatChange } from './change.ts'
import { reaches } from './reaches.ts'
import { mostSevereReached, type Rule } from './rule.ts'

/**
 * The newest value, the last one of the local day before it, and for each limit the number of days
 * in a row before that day on which it was reached.
 */
type DailyRateState = Readonly<{
  time: number
  day: number
  value: number
  before: number | null
  runs: readonly number[]
}>

/**
 * Compiles the rule of a change from one local day to the next that reaches a limit on
 * `days` days in a row, today included. The change of a day is its last value minus the last one of
 * the day before. A day without a value ends the row.
 */
export function compileDailyRate(
  { days, levels, direction }: { days: number } & Pick<RateSettings, 'levels' | 'direction'>,
  unit: string,
  severity: Severity,
): Rule<DailyRateState> {
  return {
    alarm: 'rate',
    evaluate(state, { time, day, value }) {
      if (state !== null && time < state.time) return { state, outcome: undefined }
      const next = follow(state, time, day, value)
      if (next.before === null) return { state: next, outcome: undefined }
      const reached = mostSevereReached(
        levels.map((level, index) => ({ ...level, run: next.runs[index] ?? 0 })),
        ({ limit, run }) => run + 1 >= days && isReached(value, next.before, limit),
        severity,
      )
      if (reached === undefined) return { state: next, outcome: 'normal' }
      const amount = Number(countedChange(value - next.before, direction).toPrecision(4))
      const shown = (one: number) => `${formatChange(one, direction)}${unit}/d`
      const limit = `rate ${shown(amount)}, limit ${shown(reached.limit)} on ${days} days in a row`
      return { state: next, outcome: { level: reached.level, limit } }
    },
  }

  function follow(
    state: DailyRateState | null,
    time: number,
    day: number,
    value: number,
  ): DailyRateState {
    const none = levels.map(() => 0)
    if (state === null || day > state.day + 1) return { time, day, value, before: null, runs: none }
    if (day === state.day + 1) {
      const runs = levels.map(({ limit }, index) =>
        isReached(state.value, state.before, limit) ? (state.runs[index] ?? 0) + 1 : 0,
      )
      return { time, day, value, before: state.value, runs }
    }
    return time === state.time && value === state.value ? state : { ...state, time, value }
  }

  function isReached(value: number, before: number | null, limit: number): boolean {
    if (before === null) return false
    const amount = countedChange(value - before, direction)
    return reaches(amount, limit, Math.max(Math.abs(value), Math.abs(before)))
  }
}
