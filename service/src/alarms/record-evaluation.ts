import {
  step,
  type AlarmEvent,
  type AlarmWatch,
  type LifeSettings,
} from '../domain/alarms/alarm-life.ts'
import { DATA_ALARMS, type DataAlarm } from '../domain/alarms/alarm-types.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { Values } from '../domain/alarms/item-evaluator.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, AlarmWrites, NewestBounds } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import { benchOf, type Bench } from './station-evaluators.ts'
import type { AlarmMemory, SourceMemory } from './alarm-states.ts'

/**
 * A record on its way, its values in the order of the factor's items. Where `isNotified` is left out, it
 * is that of the whole write.
 */
export type StationRecord = {
  station: CatalogueStation
  time: number
  values: Values
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
  /** Stations of which more has to be known before this can be judged. */
  readonly unknown = new Map<CatalogueStation, Bench>()
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

  add({ station, time, values, isNotified = this.#options.isNotified }: StationRecord): void {
    const { id } = station.entry
    const { horizon } = this.#options
    if (time > horizon) {
      this.#early.push({ station: id, time, isNotified })
      return
    }
    let draft = this.#stations.get(id)
    if (draft === undefined) {
      draft = new StationDraft(station, benchOf(this.#catalogue, station), this.#memory, horizon)
      this.#stations.set(id, draft)
    }
    if (!draft.judge(time, values, this.changes, isNotified)) this.unknown.set(station, draft.bench)
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
  readonly bench: Bench
  readonly #station: CatalogueStation
  readonly #source: SourceMemory
  readonly #horizon: number
  /** The newest instant before this write; what lies beyond the horizon came of a wrong clock. */
  readonly #stored: number | null | undefined
  #newest: number | null | undefined
  #states: RuleStates
  #watches: Map<DataAlarm, AlarmWatch> | undefined
  #above = -Infinity
  #upTo = Infinity

  constructor(station: CatalogueStation, bench: Bench, memory: AlarmMemory, horizon: number) {
    this.#station = station
    this.bench = bench
    this.#horizon = horizon
    this.#source = memory.of(String(station.entry.id))
    const { newest } = this.#source
    this.#stored = (newest ?? -Infinity) > horizon ? undefined : newest
    this.#newest = this.#stored
    this.#states = this.#source.states ?? NO_STATES
    if (bench.memory === 0) return
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
  judge(time: number, values: Values, changes: AlarmChange[], isNotified: boolean): boolean {
    const { judge, memory } = this.bench
    if (memory > 0 && (this.#source.states === undefined || this.#newest === undefined))
      return false
    if (judge.isEmpty && this.#source.watches.size === 0) {
      this.#pass(time)
      return true
    }
    const { zone } = this.#station.structure
    const local = time + zone.spanAt(time).offset
    const newest = this.#newest ?? null
    const record = { time, local, values }
    const { states, events } = judge.observe(record, newest, this.#states, this.#findWatch)
    if (events.length > 0) {
      if (this.#newest === undefined) return false
      let isBound = false
      for (const { alarm, event } of events) {
        const before = this.#findWatch(alarm) ?? null
        const life = judge.life[alarm]
        const taken = step(before, event, life, this.#horizon)
        const change = changeOf({ ...taken, isLate: taken.isLate || !isNotified }, before, {
          structure: this.#station.structure.entry.id,
          zone,
          source: { id: this.#source.source, name: this.#station.entry.name },
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
    this.#states = states
    this.#pass(time)
    return true
  }

  remember(memory: AlarmMemory): void {
    this.#source.newest = this.#newest
    if (this.bench.memory > 0) this.#source.states = this.#states
    if (this.#watches === undefined) return
    for (const [alarm, watch] of this.#watches)
      memory.setWatch(this.#source, DATA_ALARMS[alarm].code, watch)
  }

  readonly #findWatch = (alarm: DataAlarm): AlarmWatch | undefined =>
    this.#watches?.get(alarm) ?? this.#source.watches.get(DATA_ALARMS[alarm].code)

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
