import type { FactorItem, ThresholdBatchEntry } from '../site/site-entry.ts'
import { DAY_MS } from '../time/wall-clock.ts'
import { describeReturnToNormal, describeViolations } from './alarm-content.ts'
import {
  isOpen,
  type RecordEvent,
  type AlarmState,
  type LifecycleSettings,
} from './alarm-lifecycle.ts'
import { DATA_ALARMS, type DataAlarm } from './alarm-types.ts'
import { compileItemRules, type StationRule } from './item-rules.ts'
import {
  compileThresholds,
  isValue,
  type Violation,
  type ValueOutcome,
} from './threshold-evaluator.ts'
import type { ThresholdEvaluator, ItemValues } from './threshold-evaluator.ts'
import type { RuleOutcome } from './rules/rule.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'

/** The part of a batch that alarms follow from. */
export type StationBatch = Pick<ThresholdBatchEntry, 'items' | 'clearAfter' | 'needsPerson'>

/** A record of a station: its instant, and the wall clock then as milliseconds of UTC. */
export type ItemRecord = Readonly<{ time: number; local: number; values: ItemValues }>

/** The states of the rules of a station, by rule: plain JSON. */
export type RuleStates = Readonly<Record<string, unknown>>

/** The newest alarm of a station and alarm type, if there was one. */
export type FindAlarmState = (alarm: DataAlarm) => AlarmState | null | undefined

export type StationEvaluation = Readonly<{
  /** The very object that was given when nothing has changed. */
  ruleStates: RuleStates
  events: readonly Readonly<{ alarm: DataAlarm; event: RecordEvent }>[]
}>

const ALARMS = Object.keys(DATA_ALARMS) as DataAlarm[]
const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])
const NO_OUTCOMES: readonly RuleOutcome[] = Object.freeze([])
const NO_EVENTS: StationEvaluation['events'] = Object.freeze([])

/**
 * Thresholds and rules of one station, compiled to evaluate its records.
 *
 * `batches` are those that hold for the station, `items` those of its factor in their order. Without
 * contents it is for counting only.
 */
export function compileStation(
  batches: readonly StationBatch[],
  items: readonly FactorItem[],
  severity: Severity,
  { omitsContent = false }: { omitsContent?: boolean } = {},
): StationEvaluator {
  const keys = items.map(({ key }) => key)
  const rules = batches.flatMap((batch) =>
    batch.items.flatMap((item) => {
      const place = keys.indexOf(item.item)
      return place < 0 ? [] : compileItemRules(item, place, items[place]!.unit, severity)
    }),
  )
  const clearAfter = Math.max(1, ...batches.map((batch) => batch.clearAfter ?? 1))
  const needsPerson = batches.some((batch) => batch.needsPerson === true)
  const thresholds = compileThresholds(batches, keys, severity)
  return new StationEvaluator({
    thresholds,
    rules,
    items,
    severity,
    clearAfter,
    needsPerson,
    omitsContent,
  })
}

type EvaluatorParts = {
  thresholds: ThresholdEvaluator
  rules: readonly StationRule[]
  items: readonly FactorItem[]
  severity: Severity
  clearAfter: number
  needsPerson: boolean
  omitsContent: boolean
}

type RuleResults = { outcomes: readonly RuleOutcome[]; states: RuleStates }

/** Never changes: settings that change are compiled anew, so each record meets one version. */
export class StationEvaluator {
  /** The lifecycle settings of each type of alarm at this station. */
  readonly lifecycles: Readonly<Record<DataAlarm, LifecycleSettings>>
  readonly #parts: EvaluatorParts

  constructor(parts: EvaluatorParts) {
    const { severity, clearAfter, needsPerson } = parts
    const lifeOf = (alarm: DataAlarm): LifecycleSettings => {
      return { typeCode: DATA_ALARMS[alarm].code, severity, clearAfter, needsPerson }
    }
    this.#parts = parts
    this.lifecycles = {
      range: lifeOf('range'),
      threshold: lifeOf('threshold'),
      rate: lifeOf('rate'),
      frozen: lifeOf('frozen'),
    }
  }

  /** Whether no record can ever raise an alarm. */
  get isEmpty(): boolean {
    return this.#parts.thresholds.isEmpty && this.#parts.rules.length === 0
  }

  /**
   * What a record means for the alarms of its station; `newest` is the instant of the newest
   * record that was there before. No event where nothing is over a limit and no alarm is open.
   */
  evaluate(
    record: ItemRecord,
    newest: number | null,
    states: RuleStates,
    findState: FindAlarmState,
  ): StationEvaluation {
    const { thresholds, rules } = this.#parts
    const { values } = record
    const second = secondOfDay(record.local)
    const violations = thresholds.evaluate(values, second)

    const rulesSay = rules.length === 0 ? undefined : this.#askRules(record, states)
    let events: { alarm: DataAlarm; event: RecordEvent }[] | undefined
    for (const alarm of ALARMS) {
      const outcomes = rulesSay?.outcomes ?? NO_OUTCOMES
      const all = concat(
        alarm === 'threshold' ? violations : NO_VIOLATIONS,
        this.#violationsOf(alarm, outcomes),
      )
      const event =
        all.length > 0
          ? this.#violation(record, newest, all)
          : this.#end(record, newest, alarm, outcomes, findState(alarm))
      if (event === undefined) continue
      events ??= []
      events.push({ alarm, event })
    }
    return { ruleStates: rulesSay?.states ?? states, events: events ?? NO_EVENTS }
  }

  /** The outcome of each rule, and the states of the rules now. */
  #askRules({ time, local, values }: ItemRecord, states: RuleStates): RuleResults {
    const day = Math.floor(local / DAY_MS)
    const outcomes: RuleOutcome[] = []
    const next: Record<string, unknown> = {}
    let isChanged = false
    for (const { key, place, rule } of this.#parts.rules) {
      const value = values[place]
      const before = states[key] ?? null
      const observed = isValue(value) ? rule.evaluate(before, { time, day, value }) : undefined
      outcomes.push(observed?.outcome)
      const state = observed === undefined ? before : observed.state
      if (state !== before) isChanged = true
      if (state !== null) next[key] = state
    }
    return { outcomes, states: isChanged ? next : states }
  }

  #violationsOf(alarm: DataAlarm, outcomes: readonly RuleOutcome[]): readonly Violation[] {
    let violations: Violation[] | undefined
    for (let index = 0; index < outcomes.length; index++) {
      const outcome = outcomes[index]
      if (typeof outcome !== 'object') continue
      const { item, rule } = this.#parts.rules[index]!
      if (rule.alarm !== alarm) continue
      violations ??= []
      violations.push({ item, level: outcome.level, limit: outcome.limit })
    }
    return violations ?? NO_VIOLATIONS
  }

  #violation(
    { time, values }: ItemRecord,
    newest: number | null,
    violations: readonly Violation[],
  ): RecordEvent {
    const { items, severity, omitsContent } = this.#parts
    let { level } = violations[0]!
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

  /** Normal only when all that the alarm is about is normal; what is not known is no event. */
  #end(
    { time, local, values }: ItemRecord,
    newest: number | null,
    alarm: DataAlarm,
    outcomesOfRules: readonly RuleOutcome[],
    state: AlarmState | null | undefined,
  ): RecordEvent | undefined {
    if (state === null || state === undefined || !isOpen(state)) return undefined
    const { thresholds, rules, items, omitsContent } = this.#parts
    const outcomes: (ValueOutcome | RuleOutcome)[] = outcomesOfRules.filter((_, index) => {
      const { item, rule } = rules[index]!
      return rule.alarm === alarm && state.items.includes(item)
    })
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
