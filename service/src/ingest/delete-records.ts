import { setImmediate } from 'node:timers/promises'
import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/catalogue.ts'
import type { Retained } from '../domain/retention-term.ts'
import { eraAt } from '../domain/station-eras.ts'
import type { RecordKeys, RecordKind } from '../storage/storage.ts'
import type { DeletionTarget } from './deletion-target.ts'
import type { Door } from './door.ts'
import { collectSpans, settle } from './settle.ts'
import type { Span } from './span-difference.ts'

const VEHICLES_AT_ONCE = 2_000

export type Deletion = {
  target: DeletionTarget
  span: Span
  /** The change that keeps what goes; left out: it is only counted. */
  change?: number | undefined
  /** The change was begun before, and ended half way. */
  isResumed?: boolean
  signal?: AbortSignal | undefined
  onProgress?(deleted: Deleted): void
}

/** Records by kind, and station records that went, or became others, with their raw records. */
export type Deleted = Record<Retained, number> & { derived: number }

/**
 * Deletes records of a span, a page at a time, as a change that can be undone.
 *
 * Station records that were derived from raw ones go with these, or are derived anew from what is
 * left. Each page stands by itself: stopped half way, the same deletion goes on where it ended.
 */
export async function deleteRecords(door: Door, deletion: Deletion): Promise<Deleted> {
  const work = new Work(door, await door.catalogue(), deletion)
  const { kinds } = deletion.target
  if (kinds.has('raw')) await work.raw()
  if (kinds.has('vibration')) await work.vibration()
  if (kinds.has('theme')) await work.theme()
  if (kinds.has('traffic')) await work.traffic()
  return work.deleted
}

/** The stations whose records a deletion may change. */
export function affectedStations({ stations, sensors }: DeletionTarget): CatalogueStation[] {
  const fed = sensors.flatMap(({ feeds }) => feeds.flatMap((one) => one.group?.stations ?? [one]))
  const tracking = stations.flatMap(({ trackers }) => trackers)
  return [...new Set([...stations, ...tracking, ...fed])]
}

/** The stations of which a deletion that was counted takes records of its span away. */
export function losingStations(
  { stations, sensors, kinds }: DeletionTarget,
  { derived, vibration }: Deleted,
): CatalogueStation[] {
  return [
    ...(kinds.has('theme') ? stations : []),
    ...(vibration > 0 ? stations.flatMap(({ trackers }) => trackers) : []),
    ...(derived > 0 ? sensors.flatMap(({ feeds }) => feeds) : []),
  ]
}

class Work {
  readonly deleted: Deleted = { theme: 0, raw: 0, vibration: 0, traffic: 0, derived: 0 }
  readonly #door: Door
  readonly #catalogue: Catalogue
  readonly #deletion: Deletion

  constructor(door: Door, catalogue: Catalogue, deletion: Deletion) {
    this.#door = door
    this.#catalogue = catalogue
    this.#deletion = deletion
  }

  async raw(): Promise<void> {
    const { target, isResumed = false } = this.#deletion
    for (const sensor of target.sensors)
      for await (const raw of this.#pages('raw', sensor.key)) await this.#deleteRaw(sensor, raw)
    if (isResumed) await this.#settleAll()
  }

  async theme(): Promise<void> {
    const { data } = this.#door.storage
    const { target, change } = this.#deletion
    for (const { entry } of target.stations)
      for await (const theme of this.#pages('theme', entry.id)) {
        if (change !== undefined) await data.write({}, { change, gone: { theme } })
        this.#count('theme', theme.times.length)
      }
  }

  async vibration(): Promise<void> {
    const { vibration } = this.#door.storage
    const { target, change, span } = this.#deletion
    for (const { entry, trackers } of target.stations) {
      if (this.#isStopped) return
      const ofStation = { station: entry.id, ...span }
      if (change === undefined) {
        this.#count('vibration', await vibration.count(ofStation))
        continue
      }
      const withRecordsOf = trackers.map((tracker) => tracker.entry.id)
      for (let removed = Infinity; removed > 0 && !this.#isStopped;) {
        removed = await vibration.removeSome({ ...ofStation, withRecordsOf }, { change })
        this.#count('vibration', removed)
      }
    }
  }

  async traffic(): Promise<void> {
    const { traffic } = this.#door.storage
    const { target, change, span } = this.#deletion
    const ofStructure = { structure: target.structure, ...span }
    if (change === undefined) return this.#count('traffic', await traffic.count(ofStructure))
    const some = { ...ofStructure, change, limit: VEHICLES_AT_ONCE }
    for (let removed = Infinity; removed > 0 && !this.#isStopped;) {
      removed = await traffic.removeSome(some)
      this.#count('traffic', removed)
    }
  }

  /** What followed from raw records goes with them; what follows without them is stored anew. */
  async #deleteRaw(sensor: CatalogueSensor, raw: RecordKeys): Promise<void> {
    const { change } = this.#deletion
    const theme = await this.#findDerived(sensor, raw.times)
    if (change !== undefined) {
      await this.#door.storage.data.write({}, { change, gone: { raw, theme } })
      const spans = collectSpans(raw.times.map((time) => ({ sensor, time })))
      await settle(this.#door, this.#catalogue, spans, { change })
    }
    this.#count('derived', theme.times.length)
    this.#count('raw', raw.times.length)
  }

  /** Records of stations at the instants of a sensor's raw ones, where they are derived from it. */
  async #findDerived(sensor: CatalogueSensor, times: readonly number[]): Promise<RecordKeys> {
    const keys: RecordKeys = { sources: [], times: [] }
    const instants = new Set(times)
    const span = { from: times[0]!, to: times.at(-1)! }
    for (const { entry, eras } of sensor.feeds)
      for await (const list of this.#door.storage.data.readLists({
        kind: 'theme',
        source: entry.id,
        ...span,
      }))
        for (const time of Array.from(list.times)) {
          if (!instants.has(time)) continue
          if (eraAt(eras, time)?.sensors.includes(sensor.entry.id) !== true) continue
          keys.sources.push(entry.id)
          keys.times.push(time)
        }
    return keys
  }

  /** Whoever was stopped may have taken raw records away and not seen to what follows from the rest. */
  async #settleAll(): Promise<void> {
    const { target, span, change } = this.#deletion
    const left = new Set(target.sensors.flatMap(({ feeds }) => feeds.flatMap(sensorsBeside)))
    for (const id of left) {
      const sensor = this.#catalogue.sensors.get(id)
      if (sensor === undefined) continue
      const query = { kind: 'raw', source: sensor.key, ...span } as const
      for await (const { times } of this.#door.storage.data.readLists(query)) {
        const spans = collectSpans(Array.from(times, (time) => ({ sensor, time })))
        await settle(this.#door, this.#catalogue, spans, { change })
      }
    }
  }

  async *#pages(kind: RecordKind, source: number): AsyncGenerator<RecordKeys> {
    const { span } = this.#deletion
    for await (const list of this.#door.storage.data.readLists({ kind, source, ...span })) {
      if (this.#isStopped) return
      // Counting alone waits for nothing: others have their turn between pages.
      await setImmediate()
      const times = Array.from(list.times)
      yield { sources: times.map(() => source), times }
    }
  }

  get #isStopped(): boolean {
    return this.#deletion.signal?.aborted === true
  }

  #count(kind: keyof Deleted, records: number): void {
    this.deleted[kind] += records
    this.#deletion.onProgress?.(this.deleted)
  }
}

/** The sensors of a station, and of those that it is computed together with. */
const sensorsBeside = (station: CatalogueStation): string[] =>
  (station.group?.conversion === undefined ? [station] : station.group.stations).flatMap(
    ({ entry }) => entry.from?.sensors ?? [],
  )
