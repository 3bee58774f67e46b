import type { CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import type { RetainedKind } from '../domain/retention/retention-period.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import type { DeletionTarget } from './deletion-target.ts'
import type { Span } from '../derivation/span-difference.ts'

/**
 * Records by kind that were there and are gone; `derived` are station records that went with their
 * raw records or changed. Each record is counted once: `theme` counts those of waveforms and none
 * of the derived ones.
 */
export type Deleted = Record<RetainedKind, number> & { derived: number }

/** Ascending instants, some thousand at a time. */
export type Instants = AsyncIterable<readonly number[]>

/** What a deletion has removed, or would remove. */
export type Losses = {
  /** The instants at which records of a sensor are removed. */
  readRaw(sensor: CatalogueSensor): Instants
  /** The instants at which records of a station are removed or change. */
  readTheme(station: CatalogueStation): Instants
  countVibration(): Promise<number>
  countTraffic(): Promise<number>
}

/** The stations whose records a deletion may change. */
export function affectedStations({ stations, sensors }: DeletionTarget): CatalogueStation[] {
  const fed = sensors.flatMap(({ feeds }) => feeds.flatMap((one) => one.group?.stations ?? [one]))
  const tracking = stations.flatMap(({ trackers }) => trackers)
  return [...new Set([...stations, ...tracking, ...fed])]
}

/** Counts what a deletion removes, in the same way before and after. */
export async function countLosses(
  { target, span }: { target: DeletionTarget; span: Span },
  losses: Losses,
): Promise<Deleted> {
  const deleted: Deleted = { theme: 0, raw: 0, vibration: 0, traffic: 0, derived: 0 }
  deleted.vibration = await losses.countVibration()
  deleted.traffic = await losses.countTraffic()
  if (target.kinds.has('raw'))
    for (const sensor of target.sensors)
      for await (const times of losses.readRaw(sensor)) deleted.raw += times.length
  for (const station of affectedStations(target)) {
    const raw = new RawOfStation(station, target, losses)
    const isMeant = takesTheme(target, station)
    for await (const times of losses.readTheme(station))
      for (const time of times) {
        if (raw.isBehind(time)) await raw.reach(time)
        const isOwn = isMeant && time >= span.from && time <= span.to
        const isDerived = raw.has(time) || (!isOwn && raw.isDerivedAt(time))
        deleted[isDerived ? 'derived' : 'theme']++
      }
  }
  return deleted
}

/** Whether all records of a station in the span are removed. */
export const takesTheme = (
  { kinds, stations }: DeletionTarget,
  station: CatalogueStation,
): boolean => kinds.has('theme') && stations.includes(station)

/** The removed raw records that a station is derived from, read at ascending instants. */
export class RawOfStation {
  readonly #station: CatalogueStation
  readonly #cursors: ReadonlyMap<string, Cursor>
  readonly #isFed: boolean

  constructor(
    station: CatalogueStation,
    { sensors, kinds }: DeletionTarget,
    losses: Pick<Losses, 'readRaw'>,
  ) {
    this.#station = station
    const feeding = kinds.has('raw') ? sensors.filter(({ feeds }) => feeds.includes(station)) : []
    const isOfGroup = kinds.has('raw') && station.group?.conversion !== undefined
    this.#isFed = feeding.length > 0 || isOfGroup
    this.#cursors = new Map(
      feeding.map((sensor) => [sensor.entry.id, new Cursor(losses.readRaw(sensor))]),
    )
  }

  /** Whether `reach` has to be waited for before `has` is asked. */
  isBehind(time: number): boolean {
    return this.#cursors.values().some((cursor) => cursor.isBehind(time))
  }

  async reach(time: number): Promise<void> {
    for (const cursor of this.#cursors.values()) await cursor.reach(time)
  }

  /** Whether a raw record of this instant is removed that the station's record is derived from. */
  has(time: number): boolean {
    if (this.#cursors.size === 0) return false
    const sensors = validityPeriodAt(this.#station.validityPeriods, time)?.sensors ?? []
    return sensors.some((id) => this.#cursors.get(id)?.has(time) === true)
  }

  /** Whether a record of the instant may be derived from raw ones nearby, some of which are removed. */
  isDerivedAt(time: number): boolean {
    return this.#isFed && validityPeriodAt(this.#station.validityPeriods, time) !== undefined
  }
}

class Cursor {
  readonly #pages: AsyncIterator<readonly number[]>
  #page: readonly number[] = []
  #at = 0
  #isDone = false

  constructor(instants: Instants) {
    this.#pages = instants[Symbol.asyncIterator]()
  }

  isBehind(time: number): boolean {
    return !this.#isDone && (this.#page.at(-1) ?? -Infinity) < time
  }

  async reach(time: number): Promise<void> {
    while (this.isBehind(time)) {
      const { value, done = false } = await this.#pages.next()
      this.#page = done ? [] : value
      this.#at = 0
      this.#isDone = done
    }
  }

  has(time: number): boolean {
    while (this.#at < this.#page.length && this.#page[this.#at]! < time) this.#at++
    return this.#page[this.#at] === time
  }
}
