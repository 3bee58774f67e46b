import type { CatalogueGroup, CatalogueStation } from '../site/catalogue.ts'
import { computeUnrounded, type Lookup } from './derivation.ts'
import { deriveGroup, groupItems } from './group-derivation.ts'
import { findInstant } from '../records/record-list.ts'
import type { RawSeries } from '../records/raw-series.ts'
import { recordText } from '../records/record-text.ts'
import { roundToPrecision } from './rounding.ts'
import { eraAt, type Era } from './validity-periods.ts'

/** A record of a station that follows from raw records; without a text there must be none. */
export type DerivedRecord = { time: number; text: string | undefined }

/** Raw records by the id of their sensor. */
export type RawRecords = ReadonlyMap<string, RawSeries>

/**
 * How far from its own instant a record depends on raw ones, in milliseconds.
 *
 * A sensor's record leads one of the station unless one before it in the list does nearby, which
 * may hang on a third: so the reach grows with the number of sensors.
 */
export function reachOf(station: CatalogueStation): number {
  const sensors = station.entry.from?.sensors.length ?? 0
  return alignMilliseconds(station) * Math.max(1, sensors)
}

/** The stations of whose own values a station's are made, itself among them. */
export const membersOf = (station: CatalogueStation): readonly CatalogueStation[] =>
  station.group?.conversion === undefined ? [station] : station.group.stations

/** Whether in an era one raw record is all that a record of this station depends on. */
export const isPlain = (station: CatalogueStation, era: Era): boolean =>
  era.sensors.length <= 1 && station.group?.conversion === undefined

/**
 * The records of a station whose instants lie in a span, from the raw records of all sensors that
 * its members read, within its reach of the span.
 *
 * A record's instant is that of a raw record: of the station's first sensor, and of another one
 * where no earlier sensor of the list has a record within `alignSeconds` that leads one. The values
 * of the others are the nearest within that time. It depends on nothing but the raw records and the
 * site: in whatever order they came, the result is the same.
 */
export function deriveRecords(
  station: CatalogueStation,
  raw: RawRecords,
  from: number,
  to: number,
): DerivedRecord[] {
  const instants = new Set<number>()
  for (const sensor of station.entry.from?.sensors ?? []) {
    const { times = [] } = raw.get(sensor) ?? {}
    for (let at = findInstant(times, from); at < times.length && times[at]! <= to; at++)
      // Before its first conversion holds, a station's records arrive ready.
      if (eraAt(station.eras, times[at]!) !== undefined) instants.add(times[at]!)
  }
  return [...instants]
    .toSorted((a, b) => a - b)
    .map((time) => ({
      time,
      text: leads(station, raw, time) ? textAt(station, raw, time) : undefined,
    }))
}

/** Whether a raw record at this instant makes one of the station, and is no part of another. */
export function leads(station: CatalogueStation, raw: RawRecords, time: number): boolean {
  const sensors = eraAt(station.eras, time)?.sensors ?? []
  return sensors.some((sensor) => {
    const series = raw.get(sensor)
    if (series === undefined || series.times[findInstant(series.times, time)] !== time) return false
    return isFirst(station, raw, sensor, time)
  })
}

/** Whether a sensor's record is near none that leads and is of a sensor before it. */
function isFirst(
  station: CatalogueStation,
  raw: RawRecords,
  sensor: string,
  time: number,
): boolean {
  const sensors = eraAt(station.eras, time)?.sensors ?? []
  const place = sensors.indexOf(sensor)
  if (place < 0) return false
  const reach = alignMilliseconds(station)
  return sensors
    .slice(0, place)
    .every(
      (before) =>
        !raw
          .get(before)
          ?.someNear(time, reach, (near) => near !== time && isFirst(station, raw, before, near)),
    )
}

/** The raw value that belongs to an instant: of the nearest record, at most so far away. */
export function lookupAt(raw: RawRecords, time: number, reach: number): Lookup {
  return (sensor, key) => {
    const series = raw.get(sensor)
    const nearest = series?.findNearest(time, reach)
    return nearest === undefined ? undefined : series!.valueAt(nearest, key)
  }
}

function textAt(station: CatalogueStation, raw: RawRecords, time: number): string | undefined {
  const lookup = lookupAt(raw, time, alignMilliseconds(station))
  const era = eraAt(station.eras, time)
  const values = station.factor.items.map(({ key, precision }, at) => {
    const ofGroup = groupValueAt(station, raw, time, key)
    const derivation = era?.derivations[at]
    const unrounded =
      ofGroup === undefined
        ? derivation === undefined
          ? NaN
          : computeUnrounded(derivation, lookup)
        : (ofGroup.value ?? NaN)
    return Number.isFinite(unrounded) ? roundToPrecision(unrounded, precision) : undefined
  })
  if (values.every((value) => value === undefined)) return undefined
  return recordText(station.quotedKeys, values, station.structure.zone.toLocal(time))
}

/** What the group gives an item, where it gives it one. */
export function groupValueAt(
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
  item: string,
): { value?: number; absent?: string } | undefined {
  const conversion = station.group?.conversion
  const source = conversion && groupItems(conversion).find((one) => one.item === item)
  if (conversion === undefined || source === undefined) return undefined
  const { stations } = station.group as CatalogueGroup
  const members = stations.map((member) => {
    const { name, groupParams } = member.entry
    const reach = Math.max(alignMilliseconds(station), alignMilliseconds(member))
    return { name, groupParams, value: ownValueAt(member, raw, { time, reach }, source.from) }
  })
  return deriveGroup(conversion, members)[stations.indexOf(station)]
}

/** A member's own value at the time of another's record. */
export function ownValueAt(
  station: CatalogueStation,
  raw: RawRecords,
  { time, reach }: { time: number; reach: number },
  item: string,
): number | undefined {
  const place = station.itemIndex.get(item)
  const derivation = place === undefined ? undefined : eraAt(station.eras, time)?.derivations[place]
  if (derivation === undefined) return undefined
  const value = computeUnrounded(derivation, lookupAt(raw, time, reach))
  return Number.isFinite(value) ? value : undefined
}

/** How far apart in time the values of several sensors may lie. */
export const alignMilliseconds = ({ entry }: CatalogueStation): number =>
  (entry.from?.alignSeconds ?? 0) * 1000
