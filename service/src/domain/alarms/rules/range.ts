import { formatValue } from '../alarm-content.ts'
import type { RangeSettings } from '../alarm-settings.ts'
import type { Rule } from './rule.ts'

/** Compiles the rule of a value that the instrument cannot measure. Late values count too. */
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
