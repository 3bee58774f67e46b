import {
  step,
  type AlarmEvent,
  type AlarmWatch,
  type LifeSettings,
} from '../domain/alarms/alarm-life.ts'
import { DATA_ALARMS, type DataAlarm } from '../domain/alarms/alarm-types.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { Values } from '../domain/alarms/item-evaluator.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, AlarmWrites, NewestBounds } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import type { AlarmStates, SourceState } from './alarm-states.ts'
import type { CompiledStation, StationEvaluators } from './station-evaluators.ts'

/**
 * A record to be evaluated, its values in the order of the factor's items. Where `isNotified` is
 * left out, it is that of the whole write.
 */
export type StationRecord = {
  station: CatalogueStation
  time: number
  values: Values
  isNotified?: boolean
}

type EarlyRecords = NonNullable<AlarmWrites['early']>

export type EvaluationOptions = {
  /** Whether anybody is notified of what these records raise or end. */
  isNotified: boolean
  /** Records beyond it are early: they wait, and change nothing now. */
  horizon: number
}

const NO_RULES: RuleStates = Object.freeze({})

/** What the records of one write mean for alarms, before the write is stored. */
export class RecordEvaluation {
  readonly changes: AlarmChange[] = []
  /** Stations of which more has to be known before their records can be evaluated. */
  readonly unknown = new Map<CatalogueStation, CompiledStation>()
  readonly #evaluators: StationEvaluators
  readonly #states: AlarmStates
  readonly #stations = new Map<number, StationEvaluation>()
  readonly #early: EarlyRecords[number][] = []
  readonly #options: EvaluationOptions

  constructor(evaluators: StationEvaluators, states: AlarmStates, options: EvaluationOptions) {
    this.#evaluators = evaluators
    this.#states = states
    this.#options = options
  }

  /** The records that wait until their time has come. */
  get early(): EarlyRecords {
    return this.#early
  }

  add({ station, time, values, isNotified = this.#options.isNotified }: StationRecord): void {
    const { id } = station.entry
    const { horizon } = this.#options
    if (time > horizon) {
      this.#early.push({ station: id, time, isNotified })
      return
    }
    let evaluation = this.#stations.get(id)
    if (evaluation === undefined) {
      const state = this.#states.of(String(id))
      evaluation = new StationEvaluation(station, this.#evaluators.of(station), state, horizon)
      this.#stations.set(id, evaluation)
    }
    if (!evaluation.evaluate(time, values, this.changes, isNotified))
      this.unknown.set(station, evaluation.compiled)
  }

  get bounds(): NewestBounds[] {
    return Array.from(this.#stations.values()).flatMap((evaluation) => evaluation.bounds ?? [])
  }

  /** Takes over what is known of the stations after these records; the write is under way. */
  takeOver(): void {
    for (const evaluation of this.#stations.values()) evaluation.takeOver()
  }
}

class StationEvaluation {
  readonly compiled: CompiledStation
  readonly #station: CatalogueStation
  readonly #state: SourceState
  readonly #horizon: number
  /** The newest instant before this write; what lies beyond the horizon came of a wrong clock. */
  readonly #stored: number | null | undefined
  #newest: number | null | undefined
  #rules: RuleStates
  #watches: Map<DataAlarm, AlarmWatch> | undefined
  #above = -Infinity
  #upTo = Infinity

  constructor(
    station: CatalogueStation,
    compiled: CompiledStation,
    state: SourceState,
    horizon: number,
  ) {
    this.#station = station
    this.compiled = compiled
    this.#horizon = horizon
    this.#state = state
    const { newest } = state
    this.#stored = (newest ?? -Infinity) > horizon ? undefined : newest
    this.#newest = this.#stored
    this.#rules = state.rules ?? NO_RULES
    if (compiled.window === 0) return
    // Rules look back at records: they must have seen the newest one there is, whoever stored it.
    this.#upTo = this.#newest ?? -Infinity
    this.#above = this.#upTo - 1
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

  /** False when more has to be known of the station first. */
  evaluate(time: number, values: Values, changes: AlarmChange[], isNotified: boolean): boolean {
    const { evaluator, window } = this.compiled
    if (window > 0 && (this.#state.rules === undefined || this.#newest === undefined)) return false
    if (evaluator.isEmpty && this.#state.watches.size === 0) {
      this.#pass(time)
      return true
    }
    const { zone } = this.#station.structure
    const local = time + zone.spanAt(time).offset
    const newest = this.#newest ?? null
    const record = { time, local, values }
    const { states, events } = evaluator.observe(record, newest, this.#rules, this.#findWatch)
    if (events.length > 0) {
      if (this.#newest === undefined) return false
      let isBound = false
      for (const { alarm, event } of events) {
        const before = this.#findWatch(alarm) ?? null
        const life = evaluator.life[alarm]
        const taken = step(before, event, life, this.#horizon)
        const change = changeOf({ ...taken, isLate: taken.isLate || !isNotified }, before, {
          structure: this.#station.structure.entry.id,
          zone,
          source: { id: this.#state.source, name: this.#station.entry.name },
          type: DATA_ALARMS[alarm],
        })
        isBound ||= change !== undefined || mattersLate(before, event, life, this.#horizon)
        if (change === undefined) continue
        changes.push(change)
        this.#watches ??= new Map()
        this.#watches.set(alarm, change.watch)
      }
      if (isBound) this.#bind(time)
    }
    this.#rules = states
    this.#pass(time)
    return true
  }

  takeOver(): void {
    this.#state.newest = this.#newest
    if (this.compiled.window > 0) this.#state.rules = this.#rules
  }

  readonly #findWatch = (alarm: DataAlarm): AlarmWatch | undefined =>
    this.#watches?.get(alarm) ?? this.#state.watches.get(DATA_ALARMS[alarm].code)

  #pass(time: number): void {
    if (this.#newest === undefined) return
    if (this.#newest === null || time > this.#newest) this.#newest = time
  }

  /** Whether the record is late hangs on what is stored: it must stay as it was judged. */
  #bind(time: number): void {
    const stored = this.#stored ?? -Infinity
    const isLateAnyway = (this.#newest ?? -Infinity) > time && stored <= time
    if (isLateAnyway) return
    if (stored > time) this.#above = Math.max(this.#above, time)
    else this.#upTo = Math.min(this.#upTo, time)
  }
}

/** Whether an event that changes nothing would do so as a late one, or as one that is not late. */
function mattersLate(
  watch: AlarmWatch | null,
  event: AlarmEvent,
  settings: LifeSettings,
  horizon: number,
): boolean {
  return [null, Infinity].some(
    (newest) => step(watch, { ...event, newest } as AlarmEvent, settings, horizon).watch !== watch,
  )
}
