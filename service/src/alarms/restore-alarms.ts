import { isOpen, step, type AlarmStep, type AlarmWatch } from '../domain/alarms/alarm-life.ts'
import { alarmCode, DATA_ALARMS } from '../domain/alarms/alarm-types.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { AlarmChange, NewestBounds, StoredAlarm } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import type { AlarmParts } from './alarm-commits.ts'
import { StationEvaluators } from './station-evaluators.ts'
import { rebuildRules } from './rebuild-rules.ts'
import { readRecordValues } from './record-values.ts'
import { RECORDS_DELETED } from './rewind-alarms.ts'

/** What became of an alarm after records were restored; a new one has no id yet. */
export type RestoredAlarm = {
  id: number | null
  source: StoredAlarm['source']
  level: number
  outcome: 'reopened' | 'opened' | 'ended' | 'changed'
}

type Options = {
  /** The newest instant that was restored, by station. */
  newest: ReadonlyMap<number, number>
  /** Who restored the records. */
  sponsor: string
  now: number
}

/** The newest alarm of a station and type. */
type Known = { alarmId: number; watch: AlarmWatch }

/**
 * Brings alarms into line with restored records.
 *
 * An alarm that ended with its records is open again under its id once the record that raised it is
 * there, and nobody is told. A newest record that came back is evaluated where no alarm has it yet.
 */
export function restoreAlarms(
  { commits, storage }: AlarmParts,
  catalogue: Catalogue,
  options: Options,
): Promise<RestoredAlarm[]> {
  return commits.change(async () => {
    const horizon = commits.horizon()
    const bySource = await findKnown(storage)
    const stations = Array.from(catalogue.stations.values()).filter(({ entry }) => {
      if (options.newest.has(entry.id)) return true
      const known = bySource.get(String(entry.id))?.values() ?? []
      return Array.from(known).some(({ watch }) => watch.state === ENDED)
    })
    const ids = stations.map(({ entry }) => entry.id)
    const newest = await storage.data.findNewest('theme', ids, horizon)
    const work = new Restoring(storage, catalogue, horizon, options)
    for (const [at, station] of stations.entries())
      await work.restore(station, bySource.get(String(station.entry.id)) ?? new Map(), newest[at]!)
    const { changes, bounds, result } = work
    return { changes, bounds, result }
  })
}

/** The state of an alarm that ended by itself. */
const ENDED = 3

/** Local times have whole seconds. */
const SECOND = 1000

class Restoring {
  readonly changes: AlarmChange[] = []
  readonly bounds: NewestBounds[] = []
  readonly result: RestoredAlarm[] = []
  readonly #storage: AlarmParts['storage']
  readonly #evaluators: StationEvaluators
  readonly #horizon: number
  readonly #options: Options

  constructor(
    storage: AlarmParts['storage'],
    catalogue: Catalogue,
    horizon: number,
    options: Options,
  ) {
    this.#storage = storage
    this.#evaluators = new StationEvaluators(catalogue)
    this.#horizon = horizon
    this.#options = options
  }

  async restore(
    station: CatalogueStation,
    known: ReadonlyMap<string, Known>,
    time: number | null,
  ): Promise<void> {
    const { id } = station.entry
    const restored = this.#options.newest.get(id) ?? -Infinity
    let isMeant = time !== null && restored >= time
    const watches = new Map<string, Known>()
    const reopened = new Set<string>()
    for (const [typeCode, one] of known) {
      const watch = await this.#reopen(station, typeCode, one, time)
      if (watch !== undefined) {
        reopened.add(typeCode)
        isMeant ||= time !== null && watch.startTime <= time
      }
      watches.set(typeCode, { ...one, watch: watch ?? one.watch })
    }
    if (!isMeant || time === null) return
    this.bounds.push({ station: id, above: time - 1, upTo: time, horizon: this.#horizon })
    for (const [typeCode, one] of watches)
      watches.set(typeCode, { ...one, watch: await this.#acquaint(station, one, time) })
    await this.#evaluate(station, watches, { time, reopened })
  }

  /** Undefined where the alarm did not end with its records, or these are not there. */
  async #reopen(
    station: CatalogueStation,
    typeCode: string,
    { alarmId, watch }: Known,
    time: number | null,
  ): Promise<AlarmWatch | undefined> {
    if (watch.state !== ENDED) return undefined
    const { alarms } = this.#storage
    const details = await alarms.listDetails(alarmId)
    const last = details.at(-1)
    if (last?.alarmState !== ENDED || last.content !== RECORDS_DELETED) return undefined
    const open = details.findLast(({ alarmState }) => alarmState < ENDED)
    const alarm = await alarms.find(alarmId)
    if (open === undefined || alarm === undefined) return undefined
    if ((await this.#readValues(station, watch.startTime)) === undefined) return undefined

    const { zone } = station.structure
    const { sponsor, now } = this.#options
    const state = open.alarmState as AlarmStep['alarmState']
    const endTime = Math.max(watch.startTime, zone.toInstant(open.time) ?? watch.startTime)
    const violationAt = Math.max(endTime, time ?? endTime)
    const reopened = { ...watch, state, endTime, violationAt, calmAt: null, calmRun: 0 }
    const { id, ...rest } = alarm
    this.changes.push({
      alarm: { ...rest, state, endTime: zone.toLocal(endTime) },
      watch: reopened,
      isNew: false,
      detail: {
        sponsor,
        alarmCode: alarmCode(typeCode, watch.level),
        alarmState: state,
        currentLevel: watch.level,
        content: 'The records that raised this alarm were restored.',
        time: zone.toLocal(now),
      },
      isLate: true,
      isReopened: true,
    })
    this.result.push({ id, source: alarm.source, level: watch.level, outcome: 'reopened' })
    return reopened
  }

  /** The newest record is not counted again by an alarm that is open, or that ended after it. */
  async #acquaint(
    { structure: { zone } }: CatalogueStation,
    { alarmId, watch }: Known,
    time: number,
  ): Promise<AlarmWatch> {
    if (watch.violationAt >= time) return watch
    const alarm = await this.#storage.alarms.find(alarmId)
    if (alarm === undefined) return watch
    const end = (zone.toInstant(alarm.endTime) ?? 0) + SECOND
    if (!isOpen(watch) && time >= end) return watch
    const acquainted = { ...watch, violationAt: time }
    const { id: _, ...rest } = alarm
    this.changes.push({ alarm: rest, watch: acquainted, isNew: false, detail: null, isLate: true })
    return acquainted
  }

  async #evaluate(
    station: CatalogueStation,
    watches: ReadonlyMap<string, Known>,
    { time, reopened }: { time: number; reopened: ReadonlySet<string> },
  ): Promise<void> {
    const values = await this.#readValues(station, time)
    if (values === undefined) return
    const { evaluator, window } = this.#evaluators.of(station)
    const { entry, structure } = station
    const { zone } = structure
    const { data } = this.#storage
    const before = { data, station, evaluator, window, time: time - 1 }
    const states = window > 0 ? await rebuildRules(before) : {}
    const record = { time, local: time + zone.spanAt(time).offset, values }
    const find = (alarm: keyof typeof DATA_ALARMS) => watches.get(DATA_ALARMS[alarm].code)
    const { events } = evaluator.observe(record, time, states, (alarm) => find(alarm)?.watch)
    const source = { id: String(entry.id), name: entry.name }
    for (const { alarm, event } of events) {
      const known = find(alarm)
      const watch = known?.watch ?? null
      const taken = step(watch, event, evaluator.life[alarm], this.#horizon)
      const about = { structure: structure.entry.id, zone, source, type: DATA_ALARMS[alarm] }
      const change = changeOf(taken, watch, about)
      if (change === undefined) continue
      // The end was told when the records were deleted.
      const isKnown = reopened.has(change.alarm.alarmTypeCode) && !isOpen(change.watch)
      this.changes.push({ ...change, isLate: change.isLate || isKnown })
      if (change.detail === null) continue
      const outcome = change.isNew ? 'opened' : isOpen(change.watch) ? 'changed' : 'ended'
      const id = change.isNew ? null : known!.alarmId
      this.result.push({ id, source, level: change.watch.level, outcome })
    }
  }

  async #readValues(station: CatalogueStation, time: number) {
    const span = { kind: 'theme', source: station.entry.id, from: time, to: time } as const
    for await (const [record] of readRecordValues(this.#storage.data, span, station))
      return record?.values
    return undefined
  }
}

async function findKnown({
  alarms,
}: AlarmParts['storage']): Promise<Map<string, Map<string, Known>>> {
  const { watches } = await alarms.loadWatches(-1)
  const bySource = new Map<string, Map<string, Known>>()
  for (const { source, typeCode, alarmId, watch } of watches) {
    const known = bySource.get(source) ?? new Map<string, Known>()
    bySource.set(source, known.set(typeCode, { alarmId, watch }))
  }
  return bySource
}
