import { formatValue } from '../alarm-content.ts'
import type { RangeSettings } from '../alarm-settings.ts'
import type { Rule } from './rule.ts'

/** A value that the instrument cannot measure. It looks at one value only, so late ones count. */
export function compileRange({ low, high, level }: RangeSettings): Rule<null> {
  const from = low ?? -Infinity
  const to = high ?? Infinity
  const ends = [
    low === undefined ? '-' : formatValue(low),
    high === undefined ? '+' : formatValue(high),
  ]
  const violation = { level, limit: `out of range [${ends.join(',')}]` } as const
  return {
    alarm: 'range',
    evaluate: (_state, { value }) => {
      return { state: null, outcome: value < from || value > to ? violation : 'normal' }
    },
  }
}
