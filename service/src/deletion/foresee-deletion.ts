import { setImmediate } from 'node:timers/promises'
import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import { deriveRecords } from '../domain/derivation/station-records.ts'
import {
  countLosses,
  RawOfStation,
  takesTheme,
  type Deleted,
  type Instants,
  type Losses,
} from './deletion-count.ts'
import type { Deletion } from './delete-records.ts'
import type { DeletionParts } from './deletion-parts.ts'
import { collectSpans, joinSpans } from '../derivation/affected-spans.ts'
import { readRaw, type Span } from '../derivation/span-difference.ts'

/** What follows from raw records is computed for so much at once. */
const PIECE_MILLISECONDS = 86_400_000

const WAVEFORMS_AT_ONCE = 1_000

/** Within a span the newest record that a station would have left, `null`: none. */
export type Left = Span & { newest: number | null }

/** A deletion that is only looked at. */
type Meant = Pick<Deletion, 'target' | 'span' | 'signal'>

export type Foreseen = {
  records: Deleted
  /** By the id of the stations whose records the deletion may change. */
  left: ReadonlyMap<number, Left>
}

/** Says what a deletion would take, and what it would leave up to a horizon; changes nothing. */
export async function foreseeDeletion(
  parts: DeletionParts,
  deletion: Meant,
  horizon: number,
): Promise<Foreseen> {
  const foresight = new Foresight(parts, await parts.catalogue(), deletion, horizon)
  await foresight.collect()
  const records = await countLosses(deletion, foresight)
  return { records, left: foresight.left }
}

class Foresight implements Losses {
  readonly left = new Map<number, Left>()
  readonly #parts: DeletionParts
  readonly #catalogue: Catalogue
  readonly #deletion: Meant
  readonly #horizon: number
  /** Where records of stations are derived anew. */
  readonly #derived = new Map<CatalogueStation, Span[]>()

  constructor(parts: DeletionParts, catalogue: Catalogue, deletion: Meant, horizon: number) {
    this.#parts = parts
    this.#catalogue = catalogue
    this.#deletion = deletion
    this.#horizon = horizon
  }

  /** Finds what will be settled. */
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
    for await (const { times } of this.#parts.storage.data.readLists(query)) {
      if (this.#isStopped) return
      // Counting waits for nothing: others have their turn between pages.
      await setImmediate()
      yield Array.from(times)
    }
  }

  async *readTheme(station: CatalogueStation): Instants {
    const { target, span } = this.#deletion
    const settled = this.#derived.get(station) ?? []
    const ofWaveforms = await this.#findWaveforms(station)
    const raw = new RawOfStation(station, target, this)
    const takesAll = takesTheme(target, station)
    const isTaken = (time: number) =>
      (takesAll && time >= span.from && time <= span.to) || ofWaveforms.has(time)
    const [whole] = joinSpans([span, ...settled], 0)
    const left: Left = { ...whole!, newest: null }
    this.left.set(station.entry.id, left)
    const keep = (time: number) => {
      if (time <= this.#horizon) left.newest = Math.max(left.newest ?? time, time)
    }
    for (const piece of cut(whole!, settled)) {
      const derived = piece.isSettled ? await this.#derive(station, piece) : undefined
      for (const [time, text] of derived ?? []) if (text !== undefined && !isTaken(time)) keep(time)
      const query = { kind: 'theme', source: station.entry.id, ...piece } as const
      for await (const { times, texts } of this.#parts.storage.data.readLists(query)) {
        if (this.#isStopped) return
        await setImmediate()
        const lost: number[] = []
        for (const [at, time] of Array.from(times).entries()) {
          if (raw.isBehind(time)) await raw.reach(time)
          const anew = derived?.get(time)
          const isGone =
            isTaken(time) || (derived?.has(time) === true ? anew === undefined : raw.has(time))
          const isOther = anew !== undefined && anew !== Buffer.from(texts[at]!).toString()
          if (isGone || isOther) lost.push(time)
          if (!isGone) keep(time)
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
        count += await this.#parts.storage.vibration.count({ station: entry.id, ...span })
    return count
  }

  async countTraffic(): Promise<number> {
    const { target, span } = this.#deletion
    if (!target.kinds.has('traffic')) return 0
    return this.#parts.storage.traffic.count({ structure: target.structure, ...span })
  }

  /** What follows at each instant from the raw records that are left; undefined: no record. */
  async #derive(
    station: CatalogueStation,
    piece: Span,
  ): Promise<ReadonlyMap<number, string | undefined>> {
    const { target, span } = this.#deletion
    const sensors = new Set(target.sensors.map(({ entry }) => entry.id))
    const { data } = this.#parts.storage
    const raw = await readRaw(data, this.#catalogue, station, piece, { sensors, span })
    const records = deriveRecords(station, raw, piece.from, piece.to)
    return new Map(records.map(({ time, text }) => [time, text]))
  }

  /** The instants of waveforms that go and to which records of the station belong. */
  async #findWaveforms(station: CatalogueStation): Promise<ReadonlySet<number>> {
    const { target, span } = this.#deletion
    const instants = new Set<number>()
    if (!target.kinds.has('vibration')) return instants
    for (const one of target.stations) {
      if (one !== station && !one.trackers.includes(station)) continue
      const query = { station: one.entry.id, from: span.from, limit: WAVEFORMS_AT_ONCE }
      for (let to = span.to; to >= span.from && !this.#isStopped;) {
        const list = await this.#parts.storage.vibration.list({ ...query, to })
        for (const { collectTime } of list) instants.add(collectTime)
        to = list.length < WAVEFORMS_AT_ONCE ? -Infinity : list.at(-1)!.collectTime - 1
        await setImmediate()
      }
    }
    return instants
  }

  get #isStopped(): boolean {
    return this.#deletion.signal?.aborted === true
  }
}

/** A span in pieces that are settled, a day at most, and those between. */
function* cut(whole: Span, settled: readonly Span[]): Generator<Span & { isSettled: boolean }> {
  let next = whole.from
  for (const { from, to } of settled) {
    if (next < from) yield { from: next, to: from - 1, isSettled: false }
    for (let start = from; start <= to; start += PIECE_MILLISECONDS)
      yield { from: start, to: Math.min(to, start + PIECE_MILLISECONDS - 1), isSettled: true }
    next = to + 1
  }
  if (next <= whole.to) yield { from: next, to: whole.to, isSettled: false }
}
