import type { ThresholdItem } from '../site/site-entry.ts'
import { compileDailyRate } from './rules/daily-rate.ts'
import { compileDesign } from './rules/design.ts'
import { compileFrozen } from './rules/frozen.ts'
import { compileRange } from './rules/range.ts'
import { compileRate } from './rules/rate.ts'
import type { Rule } from './rules/rule.ts'
import { compileSpike } from './rules/spike.ts'
import type { RateSettings, Severity } from './alarm-settings.ts'

/**
 * The kinds of rules, in the order in which they see a value: one that hides it hides it from those
 * after it.
 */
export const RULE_KINDS = ['range', 'spike', 'frozen', 'rate', 'design'] as const

export type RuleKind = (typeof RULE_KINDS)[number]

/** A rule of an item. Its key contains its settings, so that changed settings start a new state. */
export type StationRule = Readonly<{
  key: string
  kind: RuleKind
  item: string
  place: number
  rule: Rule
}>

/** Compiles the rules of an item; `place` is the index of its value in a record. */
export function compileItemRules(
  { item, rates = [], range, spike, frozen, design }: ThresholdItem,
  place: number,
  unit: string,
  severity: Severity,
): StationRule[] {
  const at = (kind: RuleKind, settings: unknown, rule: Rule): StationRule => {
    return { key: `${item} ${kind} ${JSON.stringify(settings)}`, kind, item, place, rule }
  }
  return [
    ...(range === undefined ? [] : [at('range', range, compileRange(range))]),
    ...(spike === undefined ? [] : [at('spike', spike, compileSpike(spike))]),
    ...(frozen === undefined ? [] : [at('frozen', frozen, compileFrozen(frozen))]),
    ...rates.map((settings) => at('rate', settings, compileAnyRate(settings, unit, severity))),
    ...(design === undefined ? [] : [at('design', design, compileDesign(design, unit, severity))]),
  ]
}

function compileAnyRate(settings: RateSettings, unit: string, severity: Severity): Rule {
  const { days, ...rest } = settings
  return days === undefined
    ? compileRate(settings, unit, severity)
    : compileDailyRate({ ...rest, days }, unit, severity)
}
