import { worse, type Quality } from '../quality/quality.ts'
import { DAY_MS } from '../time/wall-clock.ts'
import type { DataAlarm } from './alarm-types.ts'
import { RULE_KINDS, type RuleKind, type StationRule } from './item-rules.ts'
import { isHiding } from './rules/rule-quality.ts'
import type { RuleOutcome, RuleStates } from './rules/rule.ts'
import { isValue, type ItemValues, type Violation } from './threshold-evaluator.ts'

/** A record of a station: its instant, and its local time as if that were UTC. */
export type ItemRecord = Readonly<{ time: number; local: number; values: ItemValues }>

/** The quality that rules give the value at a place of a record; never good. */
export type RuleMark = Readonly<{ place: number; quality: Quality }>

/** What the rules of a station make of a record. */
export type RuleResults = Readonly<{
  /** In the order of the rules. */
  outcomes: readonly RuleOutcome[]
  /** The given object itself if nothing has changed. */
  states: RuleStates
  /** The states of the rules alone, without those of on-delays. */
  next: RuleStates
  marks: readonly RuleMark[]
  /** The values without those that ranges and spikes hide, as frozen rules see them. */
  plausible: ItemValues
  /** The values without those that any rule hides, as thresholds and the other rules see them. */
  measured: ItemValues
}>

export const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])
const NO_OUTCOMES: readonly RuleOutcome[] = Object.freeze([])
const NO_STATES: RuleStates = Object.freeze({})
const NO_MARKS: readonly RuleMark[] = Object.freeze([])

/** The rules of one station. Immutable, like the evaluator that it is a part of. */
export class StationRules {
  readonly #rules: readonly StationRule[]
  readonly #ranges: readonly StationRule[]
  readonly #evaluateUncertain: boolean

  constructor(rules: readonly StationRule[], evaluateUncertain: boolean) {
    this.#rules = rules.toSorted((a, b) => orderOf(a.kind) - orderOf(b.kind))
    this.#ranges = rules.filter(({ kind }) => kind === 'range')
    this.#evaluateUncertain = evaluateUncertain
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0
  }

  evaluate({ time, local, values }: ItemRecord, states: RuleStates): RuleResults {
    if (this.#rules.length === 0) return unjudged(values, states)
    const day = Math.floor(local / DAY_MS)
    const outcomes: RuleOutcome[] = []
    const next: Record<string, unknown> = {}
    let isChanged = false
    let marks = NO_MARKS
    let plausible = values
    let measured = values
    for (const { key, kind, place, rule } of this.#rules) {
      const value = (kind === 'range' ? values : kind === 'frozen' ? plausible : measured)[place]
      const before = states[key] ?? null
      const observed = isValue(value) ? rule.evaluate(before, { time, day, value }) : undefined
      outcomes.push(observed?.outcome)
      const quality = observed?.quality
      if (quality !== undefined) marks = withMark(marks, place, quality)
      if (isHiding(quality, this.#evaluateUncertain)) {
        measured = measured.with(place, null)
        if (kind !== 'frozen') plausible = measured
      }
      const state = observed === undefined ? before : observed.state
      if (state !== before) isChanged = true
      if (state !== null) next[key] = state
    }
    return { outcomes, states: isChanged ? next : states, next, marks, plausible, measured }
  }

  /** The marks that the rules without a memory give, which are the ranges. */
  judge(values: ItemValues): readonly RuleMark[] {
    let marks = NO_MARKS
    for (const { place, rule } of this.#ranges) {
      const value = values[place]
      if (!isValue(value)) continue
      const { quality } = rule.evaluate(null, { time: 0, day: 0, value })
      if (quality !== undefined) marks = withMark(marks, place, quality)
    }
    return marks
  }

  /** The violations of one type of alarm among the outcomes of a record. */
  violationsOf(alarm: DataAlarm, outcomes: readonly RuleOutcome[]): readonly Violation[] {
    const rules = this.#rules
    let violations: Violation[] | undefined
    for (let index = 0; index < outcomes.length; index++) {
      const outcome = outcomes[index]
      if (typeof outcome !== 'object') continue
      const rule = rules[index]
      if (rule?.rule.alarm !== alarm) continue
      violations ??= []
      violations.push({ item: rule.item, level: outcome.level, limit: outcome.limit })
    }
    return violations ?? NO_VIOLATIONS
  }

  /** The outcomes of the rules of some items that raise one type of alarm. */
  outcomesOf(
    alarm: DataAlarm,
    items: readonly string[],
    outcomes: readonly RuleOutcome[],
  ): RuleOutcome[] {
    const own: RuleOutcome[] = []
    for (const [index, { item, rule }] of this.#rules.entries())
      if (rule.alarm === alarm && items.includes(item)) own.push(outcomes[index])
    return own
  }
}

const orderOf = (kind: RuleKind): number => RULE_KINDS.indexOf(kind)

const unjudged = (values: ItemValues, states: RuleStates): RuleResults => ({
  outcomes: NO_OUTCOMES,
  states,
  next: NO_STATES,
  marks: NO_MARKS,
  plausible: values,
  measured: values,
})

/** Adds a mark, or makes that of the same place a worse one. */
function withMark(
  marks: readonly RuleMark[],
  place: number,
  quality: Quality,
): readonly RuleMark[] {
  const present = marks.find((mark) => mark.place === place)
  if (present === undefined) return [...marks, { place, quality }]
  const worst = worse(present.quality, quality)
  return marks.map((mark) => (mark === present ? { place, quality: worst } : mark))
}
