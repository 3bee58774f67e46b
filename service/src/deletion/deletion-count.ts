import { InstantCursor, type Instants } from '../domain/records/instant-cursor.ts'
import type { CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import type { RetainedKind } from '../domain/retention/retained-kind.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import type { DeletionTarget } from './deletion-target.ts'
import type { Span } from '../derivation/span.ts'

/**
 * The number of deleted records by kind. `derived` counts station records that are deleted with their
 * raw records or change. Each record counts once: `theme` includes those of waveforms and no derived
 * ones.
 */
export type DeletedCounts = Record<RetainedKind, number> & { derived: number }

/** The records that a deletion has removed, or would remove. */
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

/** Counts the records of a deletion, in the same way before and after it. */
export async function countLosses(
  { target, span }: { target: DeletionTarget; span: Span },
  losses: Losses,
): Promise<DeletedCounts> {
  const deleted: DeletedCounts = { theme: 0, raw: 0, vibration: 0, traffic: 0, derived: 0 }
  deleted.vibration = await losses.countVibration()
  deleted.traffic = await losses.countTraffic()
  if (target.kinds.has('raw'))
    for (const sensor of target.sensors)
      for await (const times of losses.readRaw(sensor)) deleted.raw += times.length
  for (const station of affectedStations(target)) {
    const raw = new RemovedRawRecords(station, target, losses)
    const removesAll = removesTheme(target, station)
    for await (const times of losses.readTheme(station))
      for (const time of times) {
        if (raw.isBehind(time)) await raw.reach(time)
        const isOwn = removesAll && time >= span.from && time <= span.to
        const isDerived = raw.has(time) || (!isOwn && raw.isDerivedAt(time))
        deleted[isDerived ? 'derived' : 'theme']++
      }
  }
  return deleted
}

/** Whether all records of a station in the span are removed. */
export const removesTheme = (
  { kinds, stations }: DeletionTarget,
  station: CatalogueStation,
): boolean => kinds.has('theme') && stations.includes(station)

/** The removed raw records that a station is derived from, read at ascending instants. */
export class RemovedRawRecords {
  readonly #station: CatalogueStation
  readonly #cursors: ReadonlyMap<string, InstantCursor>
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
      feeding.map((sensor) => [sensor.entry.id, new InstantCursor(losses.readRaw(sensor))]),
    )
  }

  /** Whether `reach` has to be called before `has`. */
  isBehind(time: number): boolean {
    return this.#cursors.values().some((cursor) => cursor.isBehind(time))
  }

  async reach(time: number): Promise<void> {
    for (const cursor of this.#cursors.values()) await cursor.reach(time)
  }

  /** Whether the station's record of an instant is derived from a removed raw record of this instant. */
  has(time: number): boolean {
    if (this.#cursors.size === 0) return false
    const sensors = validityPeriodAt(this.#station.validityPeriods, time)?.sensors ?? []
    return sensors.some((id) => this.#cursors.get(id)?.has(time) === true)
  }

  /** Whether a record of an instant may be derived from raw records nearby, some of them removed. */
  isDerivedAt(time: number): boolean {
    return this.#isFed && validityPeriodAt(this.#station.validityPeriods, time) !== undefined
  }
}
