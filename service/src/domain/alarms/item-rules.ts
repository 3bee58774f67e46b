import type { ThresholdItem } from '../site/site-entry.ts'
import { compileDailyRate } from './rules/daily-rate.ts'
import { compileDesign } from './rules/design.ts'
import { compileFrozen } from './rules/frozen.ts'
import { compileRange } from './rules/range.ts'
import { compileRate } from './rules/rate.ts'
import type { Rule } from './rules/rule.ts'
import type { RateSettings, Severity } from './alarm-settings.ts'

/** A rule of an item. Its key contains its settings, so that changed settings start a new state. */
export type StationRule = Readonly<{ key: string; item: string; place: number; rule: Rule }>

/** Compiles the rules of an item; `place` is the index of its value in a record. */
export function compileItemRules(
  { item, rates = [], range, frozen, design }: ThresholdItem,
  place: number,
  unit: string,
  severity: Severity,
): StationRule[] {
  const at = (name: string, settings: unknown, rule: Rule): StationRule => {
    return { key: `${item} ${name} ${JSON.stringify(settings)}`, item, place, rule }
  }
  return [
    ...rates.map((settings) => at('rate', settings, compileAnyRate(settings, unit, severity))),
    ...(range === undefined ? [] : [at('range', range, compileRange(range))]),
    ...(frozen === undefined ? [] : [at('frozen', frozen, compileFrozen(frozen))]),
    ...(design === undefined ? [] : [at('design', design, compileDesign(design, unit, severity))]),
  ]
}

function compileAnyRate(settings: RateSettings, unit: string, severity: Severity): Rule {
  const { days, ...rest } = settings
  return days === undefined
    ? compileRate(settings, unit, severity)
    : compileDailyRate({ ...rest, days }, unit, severity)
}
