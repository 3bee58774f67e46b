import type { FactorItem, ThresholdBatchEntry } from '../site/site-entry.ts'
import { DAY_MS } from '../time/wall-clock.ts'
import { describeCalm, describeViolations } from './alarm-content.ts'
import { isOpen, type AlarmEvent, type AlarmWatch, type LifeSettings } from './alarm-life.ts'
import { DATA_ALARMS, type DataAlarm } from './alarm-types.ts'
import { compileItemRules, type StationRule } from './item-rules.ts'
import { compileThresholds, isValue, type Violation, type Outcome } from './item-evaluator.ts'
import type { Thresholds, Values } from './item-evaluator.ts'
import type { RuleOutcome } from './rules/rule.ts'
import { isWorse, type Severity } from './alarm-settings.ts'

/** The part of a batch that alarms follow from. */
export type StationBatch = Pick<ThresholdBatchEntry, 'items' | 'clearAfter' | 'needsPerson'>

/** A record of a station: its instant, and the wall clock then as milliseconds of UTC. */
export type StationRecord = Readonly<{ time: number; local: number; values: Values }>

/** What the rules of a station remember, by rule: plain JSON. */
export type RuleStates = Readonly<Record<string, unknown>>

/** The newest alarm of a station and alarm type, if there was one. */
export type FindWatch = (alarm: DataAlarm) => AlarmWatch | null | undefined

export type Observation = Readonly<{
  /** The very object that was given when nothing has changed. */
  states: RuleStates
  events: readonly Readonly<{ alarm: DataAlarm; event: AlarmEvent }>[]
}>

const ALARMS = Object.keys(DATA_ALARMS) as DataAlarm[]
const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])
const NO_OUTCOMES: readonly RuleOutcome[] = Object.freeze([])
const NO_EVENTS: Observation['events'] = Object.freeze([])

/**
 * Thresholds and rules of one station, made ready to judge its records.
 *
 * `batches` are those that hold for the station, `items` those of its factor in their order. A
 * silent judge leaves contents empty, for those who only count.
 */
export function compileStation(
  batches: readonly StationBatch[],
  items: readonly FactorItem[],
  severity: Severity,
  { isSilent = false }: { isSilent?: boolean } = {},
): StationJudge {
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
  return new StationJudge({
    thresholds,
    rules,
    items,
    severity,
    clearAfter,
    needsPerson,
    isSilent,
  })
}

type Parts = {
  thresholds: Thresholds
  rules: readonly StationRule[]
  items: readonly FactorItem[]
  severity: Severity
  clearAfter: number
  needsPerson: boolean
  isSilent: boolean
}

type RuleResults = { outcomes: readonly RuleOutcome[]; states: RuleStates }

/** Never changes: settings that change are compiled anew, so each record meets one version. */
export class StationJudge {
  /** How alarms of each type live at this station. */
  readonly life: Readonly<Record<DataAlarm, LifeSettings>>
  readonly #parts: Parts

  constructor(parts: Parts) {
    const { severity, clearAfter, needsPerson } = parts
    const lifeOf = (alarm: DataAlarm): LifeSettings => {
      return { typeCode: DATA_ALARMS[alarm].code, severity, clearAfter, needsPerson }
    }
    this.#parts = parts
    this.life = {
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
  observe(
    record: StationRecord,
    newest: number | null,
    states: RuleStates,
    findWatch: FindWatch,
  ): Observation {
    const { thresholds, rules } = this.#parts
    const { values } = record
    const second = secondOfDay(record.local)
    const violations = thresholds.judge(values, second)

    const rulesSay = rules.length === 0 ? undefined : this.#askRules(record, states)
    let events: { alarm: DataAlarm; event: AlarmEvent }[] | undefined
    for (const alarm of ALARMS) {
      const outcomes = rulesSay?.outcomes ?? NO_OUTCOMES
      const all = concat(
        alarm === 'threshold' ? violations : NO_VIOLATIONS,
        this.#violationsOf(alarm, outcomes),
      )
      const event =
        all.length > 0
          ? this.#violation(record, newest, all)
          : this.#end(record, newest, alarm, outcomes, findWatch(alarm))
      if (event === undefined) continue
      events ??= []
      events.push({ alarm, event })
    }
    return { states: rulesSay?.states ?? states, events: events ?? NO_EVENTS }
  }

  /** The outcome of each rule, and what the rules that there are remember now. */
  #askRules({ time, local, values }: StationRecord, states: RuleStates): RuleResults {
    const day = Math.floor(local / DAY_MS)
    const outcomes: RuleOutcome[] = []
    const next: Record<string, unknown> = {}
    let isChanged = false
    for (const { key, place, rule } of this.#parts.rules) {
      const value = values[place]
      const before = states[key] ?? null
      const observed = isValue(value) ? rule.observe(before, { time, day, value }) : undefined
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
    { time, values }: StationRecord,
    newest: number | null,
    violations: readonly Violation[],
  ): AlarmEvent {
    const { items, severity, isSilent } = this.#parts
    let { level } = violations[0]!
    for (const violation of violations)
      if (isWorse(violation.level, level, severity)) ({ level } = violation)
    const content = isSilent ? '' : describeViolations(violations, items, values)
    return {
      kind: 'violation',
      time,
      newest,
      level,
      items: violations.map(({ item }) => item),
      content,
    }
  }

  /** Calm only when all that the alarm is about is calm; what is not known is no event. */
  #end(
    { time, local, values }: StationRecord,
    newest: number | null,
    alarm: DataAlarm,
    ofRules: readonly RuleOutcome[],
    watch: AlarmWatch | null | undefined,
  ): AlarmEvent | undefined {
    if (watch === null || watch === undefined || !isOpen(watch)) return undefined
    const { thresholds, rules, items, isSilent } = this.#parts
    const outcomes: (Outcome | RuleOutcome)[] = ofRules.filter((_, index) => {
      const { item, rule } = rules[index]!
      return rule.alarm === alarm && watch.items.includes(item)
    })
    if (alarm === 'threshold') {
      const second = secondOfDay(local)
      outcomes.push(...watch.items.map((key) => thresholds.outcomeOf(key, values, second)))
    }
    if (outcomes.includes('near')) return { kind: 'near', time, newest }
    if (outcomes.includes(undefined)) return undefined
    const content = isSilent ? '' : describeCalm(watch.items, items, values)
    return { kind: 'calm', time, newest, content }
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
