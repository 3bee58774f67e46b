import type { FactorItem, ThresholdBatchEntry } from '../site/site-entry.ts'
import { DAY_MS } from '../time/wall-clock.ts'
import { describeReturnToNormal, describeViolations } from './alarm-content.ts'
import type { RecordEvent, LifecycleSettings } from './alarm-lifecycle.ts'
import { isOpen, type AlarmState } from './alarm-state.ts'
import { DATA_ALARM_NAMES, DATA_ALARMS, type DataAlarm } from './alarm-types.ts'
import { atMost, compileDelays, holdBack, joinStates, type StationDelay } from './station-delays.ts'
import { compileItemRules, type StationRule } from './item-rules.ts'
import {
  compileThresholds,
  isValue,
  type Violation,
  type ValueOutcome,
} from './threshold-evaluator.ts'
import type { ThresholdEvaluator, ItemValues } from './threshold-evaluator.ts'
import type { RuleOutcome, RuleStates } from './rules/rule.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'

/** The members of a threshold batch that alarms depend on. */
export type StationBatch = Pick<
  ThresholdBatchEntry,
  'items' | 'raiseAfter' | 'clearAfter' | 'clearAfterMinutes' | 'needsPerson'
>

/** A record of a station: its instant, and its local time as if that were UTC. */
type ItemRecord = Readonly<{ time: number; local: number; values: ItemValues }>

/** Returns the newest alarm of a station and alarm type. */
type FindAlarmState = (alarm: DataAlarm) => AlarmState | null | undefined

type EvaluationResult = Readonly<{
  /** The given object itself if nothing has changed. */
  ruleStates: RuleStates
  events: readonly Readonly<{ alarm: DataAlarm; event: RecordEvent }>[]
}>

const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])
const NO_OUTCOMES: readonly RuleOutcome[] = Object.freeze([])
const NO_STATES: Record<string, unknown> = Object.freeze({})
const NO_EVENTS: EvaluationResult['events'] = Object.freeze([])

/**
 * Compiles the thresholds and rules of one station to evaluate its records. A value outside the
 * measuring range of its item violates the range only; for thresholds and other rules it is absent.
 *
 * `batches` are those of the station, `items` those of its factor in their order. `omitsContent`
 * leaves out the texts of alarms, for a back-test.
 */
export function compileStation(
  batches: readonly StationBatch[],
  items: readonly FactorItem[],
  severity: Severity,
  { omitsContent = false }: { omitsContent?: boolean } = {},
): StationEvaluator {
  const keys = items.map(({ key }) => key)
  const compiled = batches.flatMap((batch) =>
    batch.items.flatMap((settings) => {
      const place = keys.indexOf(settings.item)
      const item = items[place]
      return item === undefined ? [] : compileItemRules(settings, place, item.unit, severity)
    }),
  )
  // Ranges come first: they decide which values the other rules see.
  const rules = [
    ...compiled.filter(({ rule }) => rule.alarm === 'range'),
    ...compiled.filter(({ rule }) => rule.alarm !== 'range'),
  ]
  const clearAfter = Math.max(1, ...batches.map((batch) => batch.clearAfter ?? 1))
  const clearAfterMinutes = Math.max(0, ...batches.map((batch) => batch.clearAfterMinutes ?? 0))
  const needsPerson = batches.some((batch) => batch.needsPerson === true)
  const delays = batches.flatMap((batch) => compileDelays(batch, keys, severity))
  const thresholds = compileThresholds(batches, keys, severity)
  return new StationEvaluator({
    thresholds,
    rules,
    delays,
    items,
    severity,
    clearAfter,
    clearAfterMinutes,
    needsPerson,
    omitsContent,
  })
}

type EvaluatorParts = {
  thresholds: ThresholdEvaluator
  rules: readonly StationRule[]
  delays: readonly StationDelay[]
  items: readonly FactorItem[]
  severity: Severity
  clearAfter: number
  clearAfterMinutes: number
  needsPerson: boolean
  omitsContent: boolean
}

type RuleResults = Readonly<{
  outcomes: readonly RuleOutcome[]
  states: RuleStates
  /** The states of the rules alone, without those of on-delays. */
  next: RuleStates
  /** The values of the record without those outside their measuring range. */
  measured: ItemValues
}>

/** Immutable: changed settings are compiled to a new one, so a record sees one version only. */
export class StationEvaluator {
  /** The lifecycle settings of each type of alarm at this station. */
  readonly lifecycles: Readonly<Record<DataAlarm, LifecycleSettings>>
  readonly #parts: EvaluatorParts

  constructor(parts: EvaluatorParts) {
    const { severity, clearAfter, clearAfterMinutes, needsPerson } = parts
    const settings = { severity, clearAfter, clearAfterMinutes, needsPerson }
    const lifecycleOf = (alarm: DataAlarm): LifecycleSettings => {
      return { typeCode: DATA_ALARMS[alarm].code, ...settings }
    }
    this.#parts = parts
    this.lifecycles = {
      range: lifecycleOf('range'),
      threshold: lifecycleOf('threshold'),
      rate: lifecycleOf('rate'),
      frozen: lifecycleOf('frozen'),
    }
  }

  /** Whether no record can raise an alarm. */
  get isEmpty(): boolean {
    return this.#parts.thresholds.isEmpty && this.#parts.rules.length === 0
  }

  /**
   * Returns the events of a record for the alarms of its station. `newest` is the instant of the
   * newest record before it. Without a violation and without an open alarm there is no event.
   */
  evaluate(
    record: ItemRecord,
    newest: number | null,
    states: RuleStates,
    findState: FindAlarmState,
  ): EvaluationResult {
    const { thresholds, rules, delays } = this.#parts
    const results: RuleResults =
      rules.length === 0
        ? { outcomes: NO_OUTCOMES, states, next: NO_STATES, measured: record.values }
        : this.#evaluateRules(record, states)
    const { outcomes, measured } = results
    const violations = thresholds.evaluate(measured, secondOfDay(record.local))
    const measuredRecord = measured === record.values ? record : { ...record, values: measured }

    const delayStates: Record<string, unknown> = delays.length === 0 ? NO_STATES : {}
    let events: { alarm: DataAlarm; event: RecordEvent }[] | undefined
    for (const alarm of DATA_ALARM_NAMES) {
      const seen = alarm === 'range' ? record : measuredRecord
      const all = concat(
        alarm === 'threshold' ? violations : NO_VIOLATIONS,
        this.#violationsOf(alarm, outcomes),
      )
      const counted =
        delays.length === 0
          ? all
          : this.#countedOf(alarm, all, seen, { states, into: delayStates, findState })
      const event =
        all.length === 0
          ? this.#end(seen, newest, alarm, outcomes, findState(alarm))
          : this.#violation(seen, newest, counted)
      if (event === undefined) continue
      events ??= []
      events.push({ alarm, event })
    }
    const ruleStates =
      delays.length === 0 ? results.states : joinStates(states, results.next, delayStates)
    return { ruleStates, events: events ?? NO_EVENTS }
  }

  /** The values of a record without those outside their measuring range. */
  measure(values: ItemValues): ItemValues {
    const ranges = this.#parts.rules.filter(({ rule }) => rule.alarm === 'range')
    return ranges.reduce((measured, { place, rule }) => {
      const value = values[place]
      if (!isValue(value)) return measured
      const { outcome } = rule.evaluate(null, { time: 0, day: 0, value })
      return typeof outcome === 'object' ? measured.with(place, null) : measured
    }, values)
  }

  /** What the on-delays look back at, each at an item's place in a record. */
  get delays(): readonly Pick<StationDelay, 'place' | 'lookback'>[] {
    return this.#parts.delays
  }

  /**
   * The violations that the on-delays let through. One that is held back repeats an open alarm, at most
   * at its level.
   */
  #countedOf(
    alarm: DataAlarm,
    violations: readonly Violation[],
    record: ItemRecord,
    options: { states: RuleStates; into: Record<string, unknown>; findState: FindAlarmState },
  ): readonly Violation[] {
    const { delays, severity } = this.#parts
    const counted = holdBack(delays, alarm, violations, record, { ...options, severity })
    if (counted.length > 0 || violations.length === 0) return counted
    const state = options.findState(alarm)
    if (state === null || state === undefined || !isOpen(state)) return counted
    return violations.map((violation) => atMost(violation, state.level, severity))
  }

  /** Returns the outcomes of all rules, their new states, and the values within their ranges. */
  #evaluateRules({ time, local, values }: ItemRecord, states: RuleStates): RuleResults {
    const day = Math.floor(local / DAY_MS)
    const outcomes: RuleOutcome[] = []
    const next: Record<string, unknown> = {}
    let isChanged = false
    let measured = values
    for (const { key, place, rule } of this.#parts.rules) {
      const value = rule.alarm === 'range' ? values[place] : measured[place]
      const before = states[key] ?? null
      const observed = isValue(value) ? rule.evaluate(before, { time, day, value }) : undefined
      outcomes.push(observed?.outcome)
      if (rule.alarm === 'range' && typeof observed?.outcome === 'object')
        measured = measured.with(place, null)
      const state = observed === undefined ? before : observed.state
      if (state !== before) isChanged = true
      if (state !== null) next[key] = state
    }
    return { outcomes, states: isChanged ? next : states, next, measured }
  }

  #violationsOf(alarm: DataAlarm, outcomes: readonly RuleOutcome[]): readonly Violation[] {
    const { rules } = this.#parts
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

  #violation(
    { time, values }: ItemRecord,
    newest: number | null,
    violations: readonly Violation[],
  ): RecordEvent | undefined {
    const { items, severity, omitsContent } = this.#parts
    const [first] = violations
    if (first === undefined) return undefined
    let { level } = first
    for (const violation of violations)
      if (isMoreSevere(violation.level, level, severity)) ({ level } = violation)
    const content = omitsContent ? '' : describeViolations(violations, items, values)
    return {
      kind: 'violation',
      time,
      newest,
      level,
      items: violations.map(({ item }) => item),
      content,
    }
  }

  /** Normal if all items of the alarm are normal. Without a value of one of them it is no event. */
  #end(
    { time, local, values }: ItemRecord,
    newest: number | null,
    alarm: DataAlarm,
    ruleOutcomes: readonly RuleOutcome[],
    state: AlarmState | null | undefined,
  ): RecordEvent | undefined {
    if (state === null || state === undefined || !isOpen(state)) return undefined
    const { thresholds, rules, items, omitsContent } = this.#parts
    const outcomes: (ValueOutcome | RuleOutcome)[] = []
    for (const [index, { item, rule }] of rules.entries())
      if (rule.alarm === alarm && state.items.includes(item)) outcomes.push(ruleOutcomes[index])
    if (alarm === 'threshold') {
      const second = secondOfDay(local)
      outcomes.push(...state.items.map((key) => thresholds.outcomeOf(key, values, second)))
    }
    if (outcomes.includes('deadband')) return { kind: 'deadband', time, newest }
    if (outcomes.includes(undefined)) return undefined
    const content = omitsContent ? '' : describeReturnToNormal(state.items, items, values)
    return { kind: 'normal', time, newest, content }
  }
}

function secondOfDay(local: number): number {
  return Math.floor((local - Math.floor(local / DAY_MS) * DAY_MS) / 1000)
}

function concat(
  violations: readonly Violation[],
  more: readonly Violation[],
): readonly Violation[] {
  if (more.length === 0) return violations
  return violations.length === 0 ? more : [...violations, ...more]
}
