import type { ThresholdBatchEntry } from '../site/site-entry.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'
import type { DataAlarm } from './alarm-types.ts'
import { compileOnDelay, type OnDelay, type ReachedLevel } from './on-delay.ts'
import type { RuleStates } from './rules/rule.ts'
import { isValue, type ItemValues, type Violation } from './threshold-evaluator.ts'

/** The on-delay of one item and type of alarm. Its key contains its settings, like that of a rule. */
export type StationDelay = Readonly<{
  key: string
  item: string
  place: number
  alarm: DataAlarm
  delay: OnDelay
}>

/** Frozen values have a time of their own. */
const DELAYED: readonly DataAlarm[] = ['range', 'threshold', 'rate']

/** Compiles the on-delays of a threshold batch; `keys` are those of the factor's items. */
export function compileDelays(
  { items, raiseAfter }: Pick<ThresholdBatchEntry, 'items' | 'raiseAfter'>,
  keys: readonly string[],
  severity: Severity,
): StationDelay[] {
  if (raiseAfter === undefined) return []
  const delay = compileOnDelay(raiseAfter, severity)
  return items.flatMap(({ item }) => {
    const place = keys.indexOf(item)
    if (place === -1) return []
    return DELAYED.map((alarm) => {
      const key = `${item} raise ${alarm} ${JSON.stringify(raiseAfter)}`
      return { key, item, place, alarm, delay }
    })
  })
}

type DelayedRecord = Readonly<{ time: number; values: ItemValues }>

/**
 * Returns the violations of one type of alarm that are not held back, at the levels that they have
 * reached often or long enough; adds the new states of the delays to `into`.
 */
export function holdBack(
  delays: readonly StationDelay[],
  alarm: DataAlarm,
  violations: readonly Violation[],
  { time, values }: DelayedRecord,
  { states, into, severity }: HoldOptions,
): readonly Violation[] {
  const held = new Map<string, ReachedLevel>()
  for (const { key, item, place, delay, ...one } of delays) {
    if (one.alarm !== alarm) continue
    const before = states[key] ?? null
    const level = worstLevel(violations, item, severity)
    const next = isValue(values[place])
      ? delay.evaluate(before, { time, level })
      : { state: before, held: null }
    if (next.state !== null) into[key] = next.state
    held.set(item, next.held)
  }
  return violations.flatMap((violation) => {
    const level = held.get(violation.item)
    if (level === undefined) return [violation]
    return level === null ? [] : [atMost(violation, level, severity)]
  })
}

type HoldOptions = {
  states: RuleStates
  into: Record<string, unknown>
  severity: Severity
}

/** A violation at its level, or at another one that is milder. */
export const atMost = (violation: Violation, level: number, severity: Severity): Violation =>
  isMoreSevere(violation.level, level, severity) ? { ...violation, level } : violation

function worstLevel(
  violations: readonly Violation[],
  item: string,
  severity: Severity,
): ReachedLevel {
  let worst: ReachedLevel = null
  for (const { item: own, level } of violations)
    if (own === item && (worst === null || isMoreSevere(level, worst, severity))) worst = level
  return worst
}

/** The states of rules and on-delays, and no others; the given object itself if nothing has changed. */
export function joinStates(before: RuleStates, rules: RuleStates, delays: RuleStates): RuleStates {
  const joined = { ...rules, ...delays }
  const keys = Object.keys(joined)
  const isSame =
    keys.length === Object.keys(before).length && keys.every((key) => joined[key] === before[key])
  return isSame ? before : joined
}
