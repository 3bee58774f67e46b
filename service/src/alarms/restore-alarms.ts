import { applyEvent } from '../domain/alarms/alarm-lifecycle.ts'
import { isOpen, type AlarmState } from '../domain/alarms/alarm-state.ts'
import { toStateCode } from '../domain/alarms/state-code.ts'
import { alarmCode, DATA_ALARMS, type DataAlarm } from '../domain/alarms/alarm-types.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, NewestBounds, StoredAlarm } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import type { AlarmParts } from './alarm-commits.ts'
import { findNewestEvaluated } from './newest-evaluated.ts'
import { StationEvaluators } from './station-evaluators.ts'
import { rebuildRuleStates } from './rebuild-rules.ts'
import { readRecordValues } from './record-values.ts'

/** The change of an alarm after records were restored; a new alarm has no id yet. */
export type RestoredAlarm = {
  id: number | null
  source: StoredAlarm['source']
  level: number
  outcome: 'reopened' | 'opened' | 'ended' | 'changed'
}

type RestoreOptions = {
  /** The newest restored instant of each station. */
  newest: ReadonlyMap<number, number>
  /** The sponsor of the changes. */
  sponsor: string
  now: number
}

/** The newest alarm of a station and type. */
type NewestAlarm = { alarmId: number; state: AlarmState }

/** The newest record of a station that is evaluated, and the newest of all, which may have bad values only. */
type NewestInstants = { time: number | null; last: number | null }

/**
 * Changes alarms as restored records require.
 *
 * An alarm that ended because its records were deleted is open again under its id once the record that
 * raised it is restored, without a notification. A restored newest record is evaluated unless an alarm
 * has counted it already.
 */
export async function restoreAlarms(
  { commits, storage }: AlarmParts,
  catalogue: Catalogue,
  options: RestoreOptions,
): Promise<RestoredAlarm[]> {
  const withdrawn = await findWithdrawn(storage)
  const stations = Array.from(catalogue.stations.values()).filter(
    ({ entry: { id } }) => options.newest.has(id) || withdrawn.has(String(id)),
  )
  const sources = stations.map(({ entry }) => String(entry.id))
  return commits.change(sources, async () => {
    const horizon = commits.horizon()
    const bySource = await findNewestAlarms(storage, sources)
    const newest = await findNewestEvaluated(storage.records, stations, horizon)
    const ids = stations.map(({ entry }) => entry.id)
    const last = await storage.records.findNewest('theme', ids, horizon)
    const work = new AlarmRestoration(storage, catalogue, horizon, options)
    for (const [at, station] of stations.entries()) {
      const alarms = bySource.get(String(station.entry.id)) ?? new Map()
      await work.restore(station, alarms, { time: newest[at] ?? null, last: last[at] ?? null })
    }
    const { changes, bounds, result } = work
    return { changes, bounds, result }
  })
}

/** The state code of a cleared alarm. */
const ENDED = 3

/** Local times have whole seconds. */
const SECOND = 1000

class AlarmRestoration {
  readonly changes: AlarmChange[] = []
  readonly bounds: NewestBounds[] = []
  readonly result: RestoredAlarm[] = []
  readonly #storage: AlarmParts['storage']
  readonly #evaluators: StationEvaluators
  readonly #horizon: number
  readonly #options: RestoreOptions

  constructor(
    storage: AlarmParts['storage'],
    catalogue: Catalogue,
    horizon: number,
    options: RestoreOptions,
  ) {
    this.#storage = storage
    this.#evaluators = new StationEvaluators(catalogue)
    this.#horizon = horizon
    this.#options = options
  }

  async restore(
    station: CatalogueStation,
    known: ReadonlyMap<string, NewestAlarm>,
    { time, last }: NewestInstants,
  ): Promise<void> {
    const { id } = station.entry
    const restored = this.#options.newest.get(id) ?? -Infinity
    let isRestored = time !== null && restored >= time
    const alarmStates = new Map<string, NewestAlarm>()
    const reopened = new Set<string>()
    for (const [typeCode, one] of known) {
      const state = await this.#reopen(station, typeCode, one, time)
      if (state !== undefined) {
        reopened.add(typeCode)
        isRestored ||= time !== null && state.startTime <= time
      }
      alarmStates.set(typeCode, { ...one, state: state ?? one.state })
    }
    if (!isRestored || time === null) return
    const bound = last ?? time
    this.bounds.push({ station: id, above: bound - 1, upTo: bound, horizon: this.#horizon })
    for (const [typeCode, one] of alarmStates)
      alarmStates.set(typeCode, { ...one, state: await this.#markCounted(station, one, time) })
    await this.#evaluate(station, alarmStates, { time, reopened })
  }

  /** Undefined where the alarm did not end with its records, or they are not restored. */
  async #reopen(
    station: CatalogueStation,
    typeCode: string,
    { alarmId, state }: NewestAlarm,
    time: number | null,
  ): Promise<AlarmState | undefined> {
    if (!hasBeenWithdrawn(state)) return undefined
    const { alarms } = this.#storage
    const details = await alarms.listDetails(alarmId)
    const open = details.findLast(({ alarmState }) => alarmState < ENDED)
    const alarm = await alarms.find(alarmId)
    if (open === undefined || alarm === undefined) return undefined
    if ((await this.#readValues(station, state.startTime)) === undefined) return undefined

    const { zone } = station.structure
    const { sponsor, now } = this.#options
    const stateCode = toStateCode(open.alarmState)
    const endTime = Math.max(state.startTime, zone.toInstant(open.time) ?? state.startTime)
    const violationAt = Math.max(endTime, time ?? endTime)
    const { isWithdrawn: _, ...kept } = state
    const reopened = { ...kept, stateCode, endTime, violationAt, normalAt: null, normalCount: 0 }
    const { id, ...rest } = alarm
    this.changes.push({
      alarm: { ...rest, state: stateCode, endTime: zone.toLocal(endTime) },
      state: reopened,
      isNew: false,
      detail: {
        sponsor,
        alarmCode: alarmCode(typeCode, state.level),
        alarmState: stateCode,
        currentLevel: state.level,
        content: 'The records that raised this alarm were restored.',
        time: zone.toLocal(now),
      },
      isLate: true,
      isReopened: true,
    })
    this.result.push({ id, source: alarm.source, level: state.level, outcome: 'reopened' })
    return reopened
  }

  /** Marks the newest record as counted by an alarm that is open, or ended after it. */
  async #markCounted(
    { structure: { zone } }: CatalogueStation,
    { alarmId, state }: NewestAlarm,
    time: number,
  ): Promise<AlarmState> {
    if (state.violationAt >= time) return state
    const alarm = await this.#storage.alarms.find(alarmId)
    if (alarm === undefined) return state
    const end = (zone.toInstant(alarm.endTime) ?? 0) + SECOND
    if (!isOpen(state) && time >= end) return state
    const marked = { ...state, violationAt: time }
    const { id: _, ...rest } = alarm
    this.changes.push({ alarm: rest, state: marked, isNew: false, detail: null, isLate: true })
    return marked
  }

  async #evaluate(
    station: CatalogueStation,
    alarmStates: ReadonlyMap<string, NewestAlarm>,
    { time, reopened }: { time: number; reopened: ReadonlySet<string> },
  ): Promise<void> {
    const values = await this.#readValues(station, time)
    if (values === undefined) return
    const compiled = this.#evaluators.of(station)
    const { evaluator, lookback } = compiled
    const { entry, structure } = station
    const { zone } = structure
    const { records } = this.#storage
    const before = { data: records, station, compiled, time: time - 1 }
    const states = lookback > 0 ? await rebuildRuleStates(before) : {}
    const record = { time, local: time + zone.spanAt(time).offset, values }
    const find = (alarm: DataAlarm) => alarmStates.get(DATA_ALARMS[alarm].code)
    const { events } = evaluator.evaluate(record, time, states, (alarm) => find(alarm)?.state)
    const source = { id: String(entry.id), name: entry.name }
    for (const { alarm, event } of events) {
      const known = find(alarm)
      const state = known?.state ?? null
      const transition = applyEvent(state, event, evaluator.lifecycles[alarm], this.#horizon)
      const about = { structure: structure.entry.id, zone, source, type: DATA_ALARMS[alarm] }
      const change = changeOf(transition, about)
      if (change === undefined) continue
      // The end was notified when the records were deleted.
      const isKnown = reopened.has(change.alarm.alarmTypeCode) && !isOpen(change.state)
      this.changes.push({ ...change, isLate: change.isLate || isKnown })
      if (change.detail === null) continue
      const outcome = change.isNew ? 'opened' : isOpen(change.state) ? 'changed' : 'ended'
      const id = change.isNew || known === undefined ? null : known.alarmId
      this.result.push({ id, source, level: change.state.level, outcome })
    }
  }

  async #readValues(station: CatalogueStation, time: number) {
    const span = { kind: 'theme', source: station.entry.id, from: time, to: time } as const
    for await (const [record] of readRecordValues(this.#storage.records, span, station))
      if (record?.values.some((value) => typeof value === 'number') === true) return record.values
    return undefined
  }
}

/** The sources with an alarm that ended because its records were deleted. */
async function findWithdrawn({ alarms }: AlarmParts['storage']): Promise<ReadonlySet<string>> {
  const all = await alarms.loadStates('all')
  const withdrawn = all.filter(({ states }) => states.some(({ state }) => hasBeenWithdrawn(state)))
  return new Set(withdrawn.map(({ source }) => source))
}

const hasBeenWithdrawn = ({ stateCode, isWithdrawn }: AlarmState): boolean =>
  stateCode === ENDED && isWithdrawn === true

/** By source and type. */
async function findNewestAlarms(
  { alarms }: AlarmParts['storage'],
  sources: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, NewestAlarm>>> {
  const stored = await alarms.loadStates(sources)
  return new Map(
    stored.map(({ source, states }) => [
      source,
      new Map(states.map(({ typeCode, ...newest }) => [typeCode, newest])),
    ]),
  )
}
