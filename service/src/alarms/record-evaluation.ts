import {
  applyEvent,
  type RecordEvent,
  type LifecycleSettings,
} from '../domain/alarms/alarm-lifecycle.ts'
import type { AlarmState } from '../domain/alarms/alarm-state.ts'
import { DATA_ALARMS, type DataAlarm } from '../domain/alarms/alarm-types.ts'
import type { RuleStates } from '../domain/alarms/rules/rule.ts'
import type { RuleMark } from '../domain/alarms/station-rules.ts'
import type { ItemValues } from '../domain/alarms/threshold-evaluator.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, AlarmUpdate, NewestBounds } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import type { AlarmStates, EvaluationState } from './alarm-states.ts'
import type { CompiledEvaluator, StationEvaluators } from './station-evaluators.ts'

/**
 * A record to evaluate, with its values in the order of the factor's items. `isNotified` defaults to
 * that of the whole write.
 */
export type EvaluationRecord = {
  station: CatalogueStation
  time: number
  values: ItemValues
  isNotified?: boolean
}

type NewEarlyRecords = NonNullable<AlarmUpdate['early']>

type EvaluationOptions = {
  /** Whether the alarm changes of these records are notified. */
  isNotified: boolean
  /** Records beyond it are early: they are evaluated later. */
  horizon: number
}

const NO_RULES: RuleStates = Object.freeze({})
const NO_MARKS: readonly RuleMark[] = Object.freeze([])

/** Evaluates the records of one write, and collects the alarm changes that they cause. */
export class RecordEvaluation {
  readonly changes: AlarmChange[] = []
  /** Stations whose alarm states, newest record or rule states must be looked up first. */
  readonly unknown = new Map<CatalogueStation, CompiledEvaluator>()
  /** What rules say about the quality of values, by the index of the record in the order of `add`. */
  readonly verdicts = new Map<number, readonly RuleMark[]>()
  readonly #evaluators: StationEvaluators
  readonly #states: AlarmStates
  readonly #stations = new Map<number, WriteOfStation>()
  readonly #early: NewEarlyRecords[number][] = []
  #count = 0
  readonly #options: EvaluationOptions

  constructor(evaluators: StationEvaluators, states: AlarmStates, options: EvaluationOptions) {
    this.#evaluators = evaluators
    this.#states = states
    this.#options = options
  }

  /** The records that are evaluated when their time has come. */
  get early(): NewEarlyRecords {
    return this.#early
  }

  add({ station, time, values, isNotified = this.#options.isNotified }: EvaluationRecord): void {
    const { id } = station.entry
    const { horizon } = this.#options
    const index = this.#count++
    if (time > horizon) {
      this.#early.push({ station: id, time, isNotified })
      return
    }
    let evaluation = this.#stations.get(id)
    if (evaluation === undefined) {
      const state = this.#states.of(String(id))
      evaluation = new WriteOfStation(station, this.#evaluators.of(station), state, horizon)
      this.#stations.set(id, evaluation)
    }
    const marks = evaluation.evaluate(time, values, this.changes, isNotified)
    if (marks === undefined) this.unknown.set(station, evaluation.compiled)
    else if (marks.length > 0) this.verdicts.set(index, marks)
  }

  /** The stations whose states were read, as sources of alarms. */
  get sources(): Iterable<string> {
    return this.#stations.values().map(({ source }) => source)
  }

  get bounds(): NewestBounds[] {
    return Array.from(this.#stations.values()).flatMap((evaluation) => evaluation.bounds ?? [])
  }

  /** Sets the states of the stations to those after these records; the write is under way. */
  takeOver(): void {
    for (const evaluation of this.#stations.values()) evaluation.takeOver()
  }
}

/** The records of one station in a write. */
class WriteOfStation {
  readonly compiled: CompiledEvaluator
  readonly #station: CatalogueStation
  readonly #state: EvaluationState
  readonly #horizon: number
  /** The newest instant before this write; undefined also where a wrong clock stored it beyond the horizon. */
  readonly #stored: number | null | undefined
  #newest: number | null | undefined
  #ruleStates: RuleStates
  #alarmStates: Map<DataAlarm, AlarmState> | undefined
  #above = -Infinity
  #upTo = Infinity

  constructor(
    station: CatalogueStation,
    compiled: CompiledEvaluator,
    state: EvaluationState,
    horizon: number,
  ) {
    this.#station = station
    this.compiled = compiled
    this.#horizon = horizon
    this.#state = state
    const { newest } = state
    this.#stored = (newest ?? -Infinity) > horizon ? undefined : newest
    this.#newest = this.#stored
    this.#ruleStates = state.ruleStates ?? NO_RULES
    if (compiled.lookback === 0) return
    // Rules look back: their states must be those after the newest record of any writer.
    this.#upTo = this.#newest ?? -Infinity
    this.#above = this.#upTo - 1
  }

  get source(): string {
    return this.#state.source
  }

  get bounds(): NewestBounds | undefined {
    if (this.#above === -Infinity && this.#upTo === Infinity) return undefined
    return {
      station: this.#station.entry.id,
      above: this.#above,
      upTo: this.#upTo,
      horizon: this.#horizon,
    }
  }

  /**
   * Evaluates a record; returns the marks that rules give it, undefined when the alarm states, the newest
   * record or the rule states must be looked up first.
   */
  evaluate(
    time: number,
    values: ItemValues,
    changes: AlarmChange[],
    isNotified: boolean,
  ): readonly RuleMark[] | undefined {
    const { evaluator, lookback } = this.compiled
    if (this.#state.version === undefined) return undefined
    if (lookback > 0 && (this.#state.ruleStates === undefined || this.#newest === undefined))
      return undefined
    if (evaluator.isEmpty && this.#state.alarmStates.size === 0) {
      this.#pass(time)
      return NO_MARKS
    }
    const { zone } = this.#station.structure
    const local = time + zone.spanAt(time).offset
    const newest = this.#newest ?? null
    const record = { time, local, values }
    const { ruleStates, events, marks } = evaluator.evaluate(
      record,
      newest,
      this.#ruleStates,
      this.#findState,
    )
    if (events.length > 0) {
      if (this.#newest === undefined) return undefined
      let isBound = false
      for (const { alarm, event } of events) {
        const before = this.#findState(alarm) ?? null
        const settings = evaluator.lifecycles[alarm]
        const transition = applyEvent(before, event, settings, this.#horizon)
        const change = changeOf(transition, {
          structure: this.#station.structure.entry.id,
          zone,
          source: { id: this.#state.source, name: this.#station.entry.name },
          type: DATA_ALARMS[alarm],
        })
        isBound ||= change !== undefined || mattersLate(before, event, settings, this.#horizon)
        if (change === undefined) continue
        changes.push(isNotified ? change : { ...change, isLate: true })
        this.#alarmStates ??= new Map()
        this.#alarmStates.set(alarm, change.state)
      }
      if (isBound) this.#bind(time)
    }
    this.#ruleStates = ruleStates
    this.#pass(time)
    return marks
  }

  takeOver(): void {
    this.#state.newest = this.#newest
    if (this.compiled.lookback > 0) this.#state.ruleStates = this.#ruleStates
  }

  readonly #findState = (alarm: DataAlarm): AlarmState | undefined =>
    this.#alarmStates?.get(alarm) ?? this.#state.alarmStates.get(DATA_ALARMS[alarm].code)

  #pass(time: number): void {
    if (this.#newest === undefined) return
    if (this.#newest === null || time > this.#newest) this.#newest = time
  }

  /** Narrows the bounds of the newest stored record within which this record stays late, or in time. */
  #bind(time: number): void {
    const stored = this.#stored ?? -Infinity
    const isLateAnyway = (this.#newest ?? -Infinity) > time && stored <= time
    if (isLateAnyway) return
    if (stored > time) this.#above = Math.max(this.#above, time)
    else this.#upTo = Math.min(this.#upTo, time)
  }
}

/** Whether an event that changes nothing would change something if it were late, or were not. */
function mattersLate(
  state: AlarmState | null,
  event: RecordEvent,
  settings: LifecycleSettings,
  horizon: number,
): boolean {
  return [null, Infinity].some(
    (newest) => applyEvent(state, { ...event, newest }, settings, horizon).kind !== 'none',
  )
}
