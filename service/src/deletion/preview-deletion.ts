import { setImmediate } from 'node:timers/promises'
import { isEvaluated } from '../alarms/newest-evaluated.ts'
import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import { deriveRecords, type DerivedRecord } from '../domain/derivation/station-records.ts'
import { readPlaces } from '../storage/read-places.ts'
import type { Instants } from '../domain/records/instant-cursor.ts'
import {
  countLosses,
  RemovedRawRecords,
  removesTheme,
  type DeletedCounts,
  type Losses,
} from './deletion-count.ts'
import type { Deletion } from './delete-records.ts'
import type { DeletionDependencies } from './deletion-dependencies.ts'
import { collectSpans, joinSpans } from '../derivation/affected-spans.ts'
import { isAsDerived, readRaw } from '../derivation/span-difference.ts'
import type { Span } from '../derivation/span.ts'

/** The longest span whose records are derived at once. */
const CHUNK_MILLISECONDS = 86_400_000

const WAVEFORMS_AT_ONCE = 1_000

/** A span that a deletion may change, and its newest evaluated record that stays; `null` where none does. */
export type RemainingSpan = Span & { newest: number | null }

/** A deletion that has not begun. */
type DeletionPlan = Pick<Deletion, 'target' | 'span' | 'signal'>

export type DeletionPreview = {
  records: DeletedCounts
  /** By the ids of the stations whose records the deletion may change. */
  left: ReadonlyMap<number, RemainingSpan>
}

/** Counts the records that a deletion would remove, and finds the newest that stay up to a horizon. */
export async function previewDeletion(
  dependencies: DeletionDependencies,
  deletion: DeletionPlan,
  horizon: number,
): Promise<DeletionPreview> {
  const run = new PreviewRun(dependencies, await dependencies.catalogue(), deletion, horizon)
  await run.collect()
  const records = await countLosses(deletion, run)
  return { records, left: run.left }
}

class PreviewRun implements Losses {
  readonly left = new Map<number, RemainingSpan>()
  readonly #dependencies: DeletionDependencies
  readonly #catalogue: Catalogue
  readonly #deletion: DeletionPlan
  readonly #horizon: number
  /** The spans in which records of stations would be derived again. */
  readonly #derived = new Map<CatalogueStation, Span[]>()

  constructor(
    dependencies: DeletionDependencies,
    catalogue: Catalogue,
    deletion: DeletionPlan,
    horizon: number,
  ) {
    this.#dependencies = dependencies
    this.#catalogue = catalogue
    this.#deletion = deletion
    this.#horizon = horizon
  }

  /** Finds the spans that would be derived again. */
  async collect(): Promise<void> {
    const { target } = this.#deletion
    if (!target.kinds.has('raw')) return
    for (const sensor of target.sensors) {
      let last: number[] = []
      for await (const times of this.readRaw(sensor)) {
        const spans = collectSpans([...last, ...times].map((time) => ({ sensor, time })))
        for (const [station, list] of spans) {
          const known = this.#derived.getOrInsertComputed(station, () => [])
          for (const one of list) known.push(one)
        }
        last = times.slice(-1)
      }
    }
    for (const [station, spans] of this.#derived) this.#derived.set(station, joinSpans(spans, 0))
  }

  async *readRaw({ key }: CatalogueSensor): AsyncGenerator<number[]> {
    const query = { kind: 'raw', source: key, ...this.#deletion.span } as const
    for await (const places of readPlaces(this.#dependencies.storage.records, query)) {
      if (this.#isStopped) return
      // Reading is synchronous: other work runs between two pages.
      await setImmediate()
      yield places.map(({ time }) => time)
    }
  }

  async *readTheme(station: CatalogueStation): Instants {
    const { target, span } = this.#deletion
    const derivedSpans = this.#derived.get(station) ?? []
    const ofWaveforms = await this.#findWaveforms(station)
    const removed = new RemovedRawRecords(station, target, this)
    const removesAll = removesTheme(target, station)
    const isRemoved = (time: number) =>
      (removesAll && time >= span.from && time <= span.to) || ofWaveforms.has(time)
    const [whole = span] = joinSpans([span, ...derivedSpans], 0)
    const left: RemainingSpan = { ...whole, newest: null }
    this.left.set(station.entry.id, left)
    const keep = (time: number) => {
      if (time <= this.#horizon) left.newest = Math.max(left.newest ?? time, time)
    }
    for (const chunk of cut(whole, derivedSpans)) {
      const derived = chunk.isDerivedAgain ? await this.#derive(station, chunk) : undefined
      for (const [time, { text }] of derived ?? [])
        if (text !== undefined && !isRemoved(time)) keep(time)
      const query = { kind: 'theme', source: station.entry.id, ...chunk } as const
      for await (const places of readPlaces(this.#dependencies.storage.records, query)) {
        if (this.#isStopped) return
        await setImmediate()
        const lost: number[] = []
        for (const place of places) {
          const { time } = place
          if (removed.isBehind(time)) await removed.reach(time)
          const again = derived?.get(time)
          const isGone =
            isRemoved(time) || (again === undefined ? removed.has(time) : again.text === undefined)
          const isChanged = again !== undefined && !isAsDerived(station, place, again)
          if (isGone || isChanged) lost.push(time)
          if (!isGone && isEvaluated(station, place)) keep(time)
        }
        yield lost
      }
    }
  }

  async countVibration(): Promise<number> {
    const { target, span } = this.#deletion
    let count = 0
    if (target.kinds.has('vibration'))
      for (const { entry } of target.stations)
        count += await this.#dependencies.storage.waveforms.count({ station: entry.id, ...span })
    return count
  }

  async countTraffic(): Promise<number> {
    const { target, span } = this.#deletion
    if (!target.kinds.has('traffic')) return 0
    return this.#dependencies.storage.traffic.count({ structure: target.structure, ...span })
  }

  /** The records that are derived from the raw records that stay, by instant. */
  async #derive(
    station: CatalogueStation,
    chunk: Span,
  ): Promise<ReadonlyMap<number, DerivedRecord>> {
    const { target, span } = this.#deletion
    const sensors = new Set(target.sensors.map(({ entry }) => entry.id))
    const { records: data } = this.#dependencies.storage
    const raw = await readRaw(data, this.#catalogue, station, chunk, { sensors, span })
    const records = deriveRecords(station, raw, chunk.from, chunk.to)
    return new Map(records.map((record) => [record.time, record]))
  }

  /** The instants of removed waveforms to which records of the station belong. */
  async #findWaveforms(station: CatalogueStation): Promise<ReadonlySet<number>> {
    const { target, span } = this.#deletion
    const instants = new Set<number>()
    if (!target.kinds.has('vibration')) return instants
    for (const one of target.stations) {
      if (one !== station && !one.trackers.includes(station)) continue
      const query = { station: one.entry.id, from: span.from, limit: WAVEFORMS_AT_ONCE }
      for (let to = span.to; to >= span.from && !this.#isStopped;) {
        const list = await this.#dependencies.storage.waveforms.list({ ...query, to })
        for (const { collectTime } of list) instants.add(collectTime)
        const last = list.length < WAVEFORMS_AT_ONCE ? undefined : list.at(-1)
        to = last === undefined ? -Infinity : last.collectTime - 1
        await setImmediate()
      }
    }
    return instants
  }

  get #isStopped(): boolean {
    return this.#deletion.signal?.aborted === true
  }
}

/** Cuts a span into chunks of at most a day that are derived again, and the chunks between them. */
function* cut(
  whole: Span,
  derivedSpans: readonly Span[],
): Generator<Span & { isDerivedAgain: boolean }> {
  let next = whole.from
  for (const { from, to } of derivedSpans) {
    if (next < from) yield { from: next, to: from - 1, isDerivedAgain: false }
    for (let start = from; start <= to; start += CHUNK_MILLISECONDS)
      yield { from: start, to: Math.min(to, start + CHUNK_MILLISECONDS - 1), isDerivedAgain: true }
    next = to + 1
  }
  if (next <= whole.to) yield { from: next, to: whole.to, isDerivedAgain: false }
}
