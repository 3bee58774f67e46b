import { formatValue } from '../alarm-content.ts'
import type { FrozenSettings } from '../alarm-settings.ts'
import { reaches } from './reaches.ts'
import { qualityOf } from './rule-quality.ts'
import type { Rule } from './rule.ts'

/** Since when the values are between `low` and `high`, their number, and the newest instant. */
type FrozenState = Readonly<{
  since: number
  low: number
  high: number
  records: number
  time: number
}>

/**
 * Compiles the rule of a value that changes by at most an epsilon for a time and a number of records.
 *
 * The time begins with the first of these values. After a gap as long as that time it begins again.
 */
export function compileFrozen({
  hours,
  epsilon,
  records,
  level,
  quality,
}: FrozenSettings): Rule<FrozenState> {
  const duration = hours * 3_600_000
  const frozen = qualityOf('frozen', quality)
  const violation = { level, limit: `unchanged for ${formatValue(hours)} h` } as const
  return {
    alarm: 'frozen',
    evaluate(state, { time, value }) {
      if (state !== null && time < state.time) return { state, outcome: undefined }
      const next = follow(state, time, value)
      const isFrozen = next.records >= records && time - next.since >= duration
      if (!isFrozen) return { state: next, outcome: 'normal' }
      return { state: next, outcome: violation, quality: frozen }
    },
  }

  function follow(state: FrozenState | null, time: number, value: number): FrozenState {
    const fresh = { since: time, low: value, high: value, records: 1, time }
    if (state === null || time - state.time >= duration) return fresh
    const low = Math.min(state.low, value)
    const high = Math.max(state.high, value)
    if (!reaches(epsilon, high - low, Math.max(Math.abs(high), Math.abs(low)))) return fresh
    const isSameTime = time === state.time
    if (isSameTime && low === state.low && high === state.high) return state
    return { since: state.since, low, high, records: state.records + (isSameTime ? 0 : 1), time }
  }
}
