import { formatValue } from '../alarm-content.ts'
import type { DesignSettings, Severity } from '../alarm-settings.ts'
import { reaches } from './reaches.ts'
import { mostSevereReached, type Rule } from './rule.ts'

/** Compiles the rule of a value that reaches a percentage of the design value. */
export function compileDesign(
  { value: design, isSymmetric, levels }: DesignSettings,
  unit: string,
  severity: Severity,
): Rule<null> {
  const designText = `${formatValue(design)}${unit}`
  return {
    alarm: 'threshold',
    evaluate(_state, { value }) {
      const share = isSymmetric ? Math.abs(value / design) : value / design
      const reached = mostSevereReached(
        levels,
        ({ percent }) => reaches(share * 100, percent, percent),
        severity,
      )
      if (reached === undefined) return { state: null, outcome: 'normal' }
      const limit = `at ${formatValue(Number((share * 100).toPrecision(4)))}% of the design value ${designText}`
      return { state: null, outcome: { level: reached.level, limit } }
    },
  }
}
