import { formatValue } from '../alarm-content.ts'
import type { RangeSettings } from '../alarm-settings.ts'
import { qualityOf } from './rule-quality.ts'
import type { Rule } from './rule.ts'

/** Compiles the rule of a value that the instrument cannot measure. Late values count too. */
export function compileRange({ low, high, level, quality }: RangeSettings): Rule<null> {
  const from = low ?? -Infinity
  const to = high ?? Infinity
  const ends = [
    low === undefined ? '-' : formatValue(low),
    high === undefined ? '+' : formatValue(high),
  ]
  const violation = { level, limit: `out of range [${ends.join(',')}]` } as const
  const outside = { state: null, outcome: violation, quality: qualityOf('range', quality) } as const
  const inside = { state: null, outcome: 'normal' } as const
  return {
    alarm: 'range',
    evaluate: (_state, { value }) => (value < from || value > to ? outside : inside),
  }
}
