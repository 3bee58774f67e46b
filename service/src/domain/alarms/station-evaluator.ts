import type { FactorItem, ThresholdBatchEntry } from '../site/site-entry.ts'
import { DAY_MS } from '../time/wall-clock.ts'
import { describeReturnToNormal, describeViolations } from './alarm-content.ts'
import type { RecordEvent, LifecycleSettings } from './alarm-lifecycle.ts'
import { isOpen, type AlarmState } from './alarm-state.ts'
import { DATA_ALARM_NAMES, DATA_ALARMS, type DataAlarm } from './alarm-types.ts'
import { atMost, compileDelays, holdBack, joinStates, type StationDelay } from './station-delays.ts'
import { compileItemRules } from './item-rules.ts'
import { NO_VIOLATIONS, StationRules, type ItemRecord, type RuleMark } from './station-rules.ts'
import { compileThresholds, type Violation, type ValueOutcome } from './threshold-evaluator.ts'
import type { ThresholdEvaluator, ItemValues } from './threshold-evaluator.ts'
import type { RuleOutcome, RuleStates } from './rules/rule.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'

/** The members of a threshold batch that alarms depend on. */
export type StationBatch = Pick<
  ThresholdBatchEntry,
  'items' | 'raiseAfter' | 'clearAfter' | 'clearAfterMinutes' | 'needsPerson'
>

/** Returns the newest alarm of a station and alarm type. */
type FindAlarmState = (alarm: DataAlarm) => AlarmState | null | undefined

type EvaluationResult = Readonly<{
  /** The given object itself if nothing has changed. */
  ruleStates: RuleStates
  events: readonly Readonly<{ alarm: DataAlarm; event: RecordEvent }>[]
  /** The qualities that rules give values of the record, at most one for each. */
  marks: readonly RuleMark[]
}>

const NO_STATES: Record<string, unknown> = Object.freeze({})
const NO_EVENTS: EvaluationResult['events'] = Object.freeze([])

/** Settings of an evaluator that it does not have from its threshold batches. */
type CompileOptions = {
  /** Leaves out the texts of alarms, for a back-test. */
  omitsContent?: boolean
  /** Whether values that a rule calls uncertain are evaluated; by default they are. */
  evaluateUncertain?: boolean
}

/**
 * Compiles the thresholds and rules of one station to evaluate its records. A value that a rule calls
 * bad is absent for thresholds and for the rules after it: a value outside its measuring range
 * violates the range only, unless the range says otherwise.
 *
 * `batches` are those of the station, `items` those of its factor in their order.
 */
export function compileStation(
  batches: readonly StationBatch[],
  items: readonly FactorItem[],
  severity: Severity,
  { omitsContent = false, evaluateUncertain = true }: CompileOptions = {},
): StationEvaluator {
  const keys = items.map(({ key }) => key)
  const rules = batches.flatMap((batch) =>
    batch.items.flatMap((settings) => {
      const place = keys.indexOf(settings.item)
      const item = items[place]
      return item === undefined ? [] : compileItemRules(settings, place, item.unit, severity)
    }),
  )
  return new StationEvaluator({
    thresholds: compileThresholds(batches, keys, severity),
    rules: new StationRules(rules, evaluateUncertain),
    delays: batches.flatMap((batch) => compileDelays(batch, keys, severity)),
    items,
    severity,
    clearAfter: Math.max(1, ...batches.map((batch) => batch.clearAfter ?? 1)),
    clearAfterMinutes: Math.max(0, ...batches.map((batch) => batch.clearAfterMinutes ?? 0)),
    needsPerson: batches.some((batch) => batch.needsPerson === true),
    omitsContent,
  })
}

type EvaluatorParts = {
  thresholds: ThresholdEvaluator
  rules: StationRules
  delays: readonly StationDelay[]
  items: readonly FactorItem[]
  severity: Severity
  clearAfter: number
  clearAfterMinutes: number
  needsPerson: boolean
  omitsContent: boolean
}

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

  /** Whether no record can raise an alarm or get a mark. */
  get isEmpty(): boolean {
    return this.#parts.thresholds.isEmpty && this.#parts.rules.isEmpty
  }

  /**
   * Returns the events of a record for the alarms of its station, and the marks that its rules give.
   * `newest` is the instant of the newest record before it. Without a violation and without an open
   * alarm there is no event.
   */
  evaluate(
    record: ItemRecord,
    newest: number | null,
    states: RuleStates,
    findState: FindAlarmState,
  ): EvaluationResult {
    const { thresholds, rules, delays } = this.#parts
    const results = rules.evaluate(record, states)
    const { outcomes, plausible, measured, marks } = results
    const violations = thresholds.evaluate(measured, secondOfDay(record.local))
    const plausibleRecord = withValues(record, plausible)
    const measuredRecord = withValues(record, measured)

    const delayStates: Record<string, unknown> = delays.length === 0 ? NO_STATES : {}
    let events: { alarm: DataAlarm; event: RecordEvent }[] | undefined
    for (const alarm of DATA_ALARM_NAMES) {
      const seen =
        alarm === 'range' ? record : alarm === 'frozen' ? plausibleRecord : measuredRecord
      const all = concat(
        alarm === 'threshold' ? violations : NO_VIOLATIONS,
        rules.violationsOf(alarm, outcomes),
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
    return { ruleStates, events: events ?? NO_EVENTS, marks }
  }

  /** The values of a record that thresholds see, and the states of the rules after it. */
  measure(
    record: ItemRecord,
    states: RuleStates,
  ): Readonly<{ measured: ItemValues; ruleStates: RuleStates }> {
    const { measured, states: ruleStates } = this.#parts.rules.evaluate(record, states)
    return { measured, ruleStates }
  }

  /** The marks of a record that is not evaluated yet: those of the ranges, which have no memory. */
  judge(values: ItemValues): readonly RuleMark[] {
    return this.#parts.rules.judge(values)
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
    const outcomes: (ValueOutcome | RuleOutcome)[] = rules.outcomesOf(
      alarm,
      state.items,
      ruleOutcomes,
    )
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

const withValues = (record: ItemRecord, values: ItemValues): ItemRecord =>
  values === record.values ? record : { ...record, values }

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
