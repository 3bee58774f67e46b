import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { readPlaces } from '../storage/read-places.ts'
import type { ChangeStore, RecordKeys, RecordKind } from '../storage/storage.ts'
import { countLosses, type DeletedCounts } from './deletion-count.ts'
import type { DeletionTarget } from './deletion-target.ts'
import type { DeletionDependencies } from './deletion-dependencies.ts'
import { collectSpans } from '../derivation/affected-spans.ts'
import type { Span } from '../derivation/span.ts'

const VEHICLES_AT_ONCE = 2_000

export type Deletion = {
  target: DeletionTarget
  span: Span
  /** The change that keeps what is deleted. */
  change: number
  /** Whether the change was begun before and interrupted. */
  isResumed?: boolean
  signal?: AbortSignal | undefined
  /** Receives how many records are deleted so far. */
  onProgress?(records: number): void
}

/**
 * Deletes records of a span, a page at a time, as a change that can be undone.
 *
 * Station records that were derived from deleted raw records are deleted too, or derived again from
 * the raw records that stay. Each page is a commit: after an interruption the same deletion continues,
 * and its counts include the records that were deleted before.
 */
export async function deleteRecords(
  dependencies: DeletionDependencies,
  changes: ChangeReader,
  deletion: Deletion,
): Promise<DeletedCounts> {
  const work = new DeletionRun(dependencies, await dependencies.catalogue(), deletion)
  const { kinds } = deletion.target
  if (kinds.has('raw')) await work.raw()
  if (kinds.has('vibration')) await work.vibration()
  if (kinds.has('theme')) await work.theme()
  if (kinds.has('traffic')) await work.traffic()
  return countDeleted(changes, deletion)
}

type ChangeReader = Pick<ChangeStore, 'readReplacedTimes' | 'countRemoved'>

/** Counts the records that the change has deleted, also in earlier attempts. */
async function countDeleted(changes: ChangeReader, deletion: Deletion): Promise<DeletedCounts> {
  const { change } = deletion
  const { waveforms, vehicles } = await changes.countRemoved(change)
  return countLosses(deletion, {
    readRaw: ({ key }) => changes.readReplacedTimes(change, 'raw', key),
    readTheme: ({ entry }) => changes.readReplacedTimes(change, 'theme', entry.id),
    countVibration: async () => waveforms,
    countTraffic: async () => vehicles,
  })
}

class DeletionRun {
  #records = 0
  readonly #dependencies: DeletionDependencies
  readonly #catalogue: Catalogue
  readonly #deletion: Deletion

  constructor(dependencies: DeletionDependencies, catalogue: Catalogue, deletion: Deletion) {
    this.#dependencies = dependencies
    this.#catalogue = catalogue
    this.#deletion = deletion
  }

  async raw(): Promise<void> {
    const { target, isResumed = false } = this.#deletion
    for (const sensor of target.sensors) {
      let last: number[] = []
      for await (const raw of this.#pages('raw', sensor.key)) {
        await this.#deleteRaw(sensor, raw, last)
        last = raw.times.slice(-1)
      }
    }
    if (isResumed) await this.#deriveAll()
  }

  async theme(): Promise<void> {
    const { commits } = this.#dependencies
    const { target, change } = this.#deletion
    for (const { entry } of target.stations)
      for await (const theme of this.#pages('theme', entry.id)) {
        await commits.records(this.#catalogue, { change, deletions: { theme } })
        this.#count(theme.times.length)
      }
  }

  async vibration(): Promise<void> {
    const { waveforms } = this.#dependencies.storage
    const { target, change, span } = this.#deletion
    for (const { entry, trackers } of target.stations) {
      if (this.#isStopped) return
      const ofStation = { station: entry.id, ...span }
      const withRecordsOf = trackers.map((tracker) => tracker.entry.id)
      for (let removed = Infinity; removed > 0 && !this.#isStopped;) {
        removed = await waveforms.removeSome({ ...ofStation, withRecordsOf }, { change })
        this.#count(removed)
      }
    }
  }

  async traffic(): Promise<void> {
    const { traffic } = this.#dependencies.storage
    const { target, change, span } = this.#deletion
    const ofStructure = { structure: target.structure, ...span }
    const some = { ...ofStructure, change, limit: VEHICLES_AT_ONCE }
    for (let removed = Infinity; removed > 0 && !this.#isStopped;) {
      removed = await traffic.removeSome(some)
      this.#count(removed)
    }
  }

  /** Deletes raw records with those derived from them; derives again those that depend on others too. */
  async #deleteRaw(
    sensor: CatalogueSensor,
    raw: RecordKeys,
    before: readonly number[],
  ): Promise<void> {
    const { change } = this.#deletion
    const { commits, derivation } = this.#dependencies
    const theme = await this.#findDerived(sensor, raw.times)
    await commits.records(this.#catalogue, { change, deletions: { raw, theme } })
    // With the last instant of the page before, so that the result does not depend on page bounds.
    const touched = [...before, ...raw.times].map((time) => ({ sensor, time }))
    await derivation.update(this.#catalogue, collectSpans(touched), { change })
    this.#count(theme.times.length + raw.times.length)
  }

  /** The station records at some instants of a sensor's raw records that are derived from it. */
  async #findDerived(sensor: CatalogueSensor, times: readonly number[]): Promise<RecordKeys> {
    const keys: RecordKeys = { sources: [], times: [] }
    const [from] = times
    const to = times.at(-1)
    if (from === undefined || to === undefined) return keys
    const instants = new Set(times)
    for (const { entry, validityPeriods } of sensor.feeds)
      for await (const places of readPlaces(this.#dependencies.storage.records, {
        kind: 'theme',
        source: entry.id,
        from,
        to,
      }))
        for (const { time } of places) {
          if (!instants.has(time)) continue
          if (validityPeriodAt(validityPeriods, time)?.sensors.includes(sensor.entry.id) !== true)
            continue
          keys.sources.push(entry.id)
          keys.times.push(time)
        }
    return keys
  }

  /** Derives again after an interrupted run, which may have deleted raw records and derived nothing. */
  async #deriveAll(): Promise<void> {
    const { target, span, change } = this.#deletion
    const left = new Set(target.sensors.flatMap(({ feeds }) => feeds.flatMap(sensorsOfGroup)))
    for (const id of left) {
      const sensor = this.#catalogue.sensors.get(id)
      if (sensor === undefined) continue
      const query = { kind: 'raw', source: sensor.key, ...span } as const
      for await (const { times } of this.#dependencies.storage.records.readLists(query)) {
        const spans = collectSpans(Array.from(times, (time) => ({ sensor, time })))
        await this.#dependencies.derivation.update(this.#catalogue, spans, { change })
      }
    }
  }

  async *#pages(kind: RecordKind, source: number): AsyncGenerator<RecordKeys> {
    const { records } = this.#dependencies.storage
    const span = { kind, source, ...this.#deletion.span }
    for await (const places of readPlaces(records, span)) {
      if (this.#isStopped) return
      const times = places.map(({ time }) => time)
      yield { sources: times.map(() => source), times }
    }
  }

  get #isStopped(): boolean {
    return this.#deletion.signal?.aborted === true
  }

  #count(records: number): void {
    this.#records += records
    this.#deletion.onProgress?.(this.#records)
  }
}

/** The sensors of a station, and of the stations of its group that are computed together. */
const sensorsOfGroup = (station: CatalogueStation): string[] =>
  (station.group?.conversion === undefined ? [station] : station.group.stations).flatMap(
    ({ entry }) => entry.from?.sensors ?? [],
  )
