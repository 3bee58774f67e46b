import {
  applyEvent,
  type RecordEvent,
  type AlarmState,
  type LifecycleSettings,
} from '../domain/alarms/alarm-lifecycle.ts'
import { DATA_ALARMS, type DataAlarm } from '../domain/alarms/alarm-types.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { ItemValues } from '../domain/alarms/threshold-evaluator.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, AlarmWrites, NewestBounds } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import { evaluatorOf, type CompiledEvaluator } from './station-evaluators.ts'
import type { AlarmMemory, SourceMemory } from './alarm-states.ts'

/**
 * A record on its way, its values in the order of the factor's items. Where `isNotified` is left out, it
 * is that of the whole write.
 */
export type EvaluationRecord = {
  station: CatalogueStation
  time: number
  values: ItemValues
  isNotified?: boolean
}

type EarlyRecords = NonNullable<AlarmWrites['early']>

type DraftOptions = {
  isNotified: boolean
  /** Records beyond it are early: they wait, and change nothing now. */
  horizon: number
}

const NO_STATES: RuleStates = Object.freeze({})

/** What the records of one write mean, before it is known whether they are stored. */
export class Draft {
  readonly changes: AlarmChange[] = []
  /** Stations of which more has to be known before this can be evaluated. */
  readonly unknown = new Map<CatalogueStation, CompiledEvaluator>()
  readonly #catalogue: Catalogue
  readonly #memory: AlarmMemory
  readonly #stations = new Map<number, StationDraft>()
  readonly #early: EarlyRecords[number][] = []
  readonly #options: DraftOptions

  constructor(catalogue: Catalogue, memory: AlarmMemory, options: DraftOptions) {
    this.#catalogue = catalogue
    this.#memory = memory
    this.#options = options
  }

  /** The records that wait until their time has come. */
  get early(): EarlyRecords {
    return this.#early
  }

  add({ station, time, values, isNotified = this.#options.isNotified }: EvaluationRecord): void {
    const { id } = station.entry
    const { horizon } = this.#options
    if (time > horizon) {
      this.#early.push({ station: id, time, isNotified })
      return
    }
    let draft = this.#stations.get(id)
    if (draft === undefined) {
      draft = new StationDraft(
        station,
        evaluatorOf(this.#catalogue, station),
        this.#memory,
        horizon,
      )
      this.#stations.set(id, draft)
    }
    if (!draft.evaluate(time, values, this.changes, isNotified))
      this.unknown.set(station, draft.compiled)
  }

  get bounds(): NewestBounds[] {
    return Array.from(this.#stations.values()).flatMap((draft) => draft.bounds ?? [])
  }

  /** The write is under way: what it changes is remembered. */
  remember(): void {
    for (const draft of this.#stations.values()) draft.remember(this.#memory)
  }
}

class StationDraft {
  readonly compiled: CompiledEvaluator
  readonly #station: CatalogueStation
  readonly #source: SourceMemory
  readonly #horizon: number
  /** The newest instant before this write; what lies beyond the horizon came of a wrong clock. */
  readonly #stored: number | null | undefined
  #newest: number | null | undefined
  #ruleStates: RuleStates
  #alarmStates: Map<DataAlarm, AlarmState> | undefined
  #above = -Infinity
  #upTo = Infinity

  constructor(
    station: CatalogueStation,
    compiled: CompiledEvaluator,
    memory: AlarmMemory,
    horizon: number,
  ) {
    this.#station = station
    this.compiled = compiled
    this.#horizon = horizon
    this.#source = memory.of(String(station.entry.id))
    const { newest } = this.#source
    this.#stored = (newest ?? -Infinity) > horizon ? undefined : newest
    this.#newest = this.#stored
    this.#ruleStates = this.#source.ruleStates ?? NO_STATES
    if (compiled.lookback === 0) return
    // Rules remember records: they must have seen the newest one there is, whoever stored it.
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
  evaluate(time: number, values: ItemValues, changes: AlarmChange[], isNotified: boolean): boolean {
    const { evaluator, lookback } = this.compiled
    if (lookback > 0 && (this.#source.ruleStates === undefined || this.#newest === undefined))
      return false
    if (evaluator.isEmpty && this.#source.alarmStates.size === 0) {
      this.#pass(time)
      return true
    }
    const { zone } = this.#station.structure
    const local = time + zone.spanAt(time).offset
    const newest = this.#newest ?? null
    const record = { time, local, values }
    const { ruleStates, events } = evaluator.evaluate(
      record,
      newest,
      this.#ruleStates,
      this.#findState,
    )
    if (events.length > 0) {
      if (this.#newest === undefined) return false
      let isBound = false
      for (const { alarm, event } of events) {
        const before = this.#findState(alarm) ?? null
        const settings = evaluator.lifecycles[alarm]
        const transition = applyEvent(before, event, settings, this.#horizon)
        const change = changeOf(transition, {
          structure: this.#station.structure.entry.id,
          zone,
          source: { id: this.#source.source, name: this.#station.entry.name },
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
    return true
  }

  remember(memory: AlarmMemory): void {
    this.#source.newest = this.#newest
    if (this.compiled.lookback > 0) this.#source.ruleStates = this.#ruleStates
    if (this.#alarmStates === undefined) return
    for (const [alarm, state] of this.#alarmStates)
      memory.setState(this.#source, DATA_ALARMS[alarm].code, state)
  }

  readonly #findState = (alarm: DataAlarm): AlarmState | undefined =>
    this.#alarmStates?.get(alarm) ?? this.#source.alarmStates.get(DATA_ALARMS[alarm].code)

  #pass(time: number): void {
    if (this.#newest === undefined) return
    if (this.#newest === null || time > this.#newest) this.#newest = time
  }

  /** Whether the record is late hangs on what is stored: it must stay as it was evaluated. */
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
  state: AlarmState | null,
  event: RecordEvent,
  settings: LifecycleSettings,
  horizon: number,
): boolean {
  return [null, Infinity].some(
    (newest) => applyEvent(state, { ...event, newest }, settings, horizon).kind !== 'none',
  )
}
