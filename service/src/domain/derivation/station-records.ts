import type { CatalogueGroup, CatalogueStation } from '../site/catalogue.ts'
import { computeUnrounded, type RawLookup } from './derivation.ts'
import { deriveGroup, groupItems } from './group-derivation.ts'
import { findInstant } from '../records/record-list.ts'
import type { RawSeries } from '../records/raw-series.ts'
import { recordText } from '../records/record-text.ts'
import { roundToPrecision } from './rounding.ts'
import { validityPeriodAt, type ValidityPeriod } from './validity-periods.ts'

/** A record of a station that follows from raw records; without a text there must be none. */
export type DerivedRecord = { time: number; text: string | undefined }

/** Raw records by the id of their sensor. */
export type RawRecords = ReadonlyMap<string, RawSeries>

/**
 * How far from its own instant a record depends on raw ones, in milliseconds.
 *
 * A sensor's record leads unless an earlier sensor of the list has a lead record within the alignment
 * window, which may depend on a third one: so the range grows with the number of sensors.
 */
export function dependencyRange(station: CatalogueStation): number {
  const sensors = station.entry.from?.sensors.length ?? 0
  return alignmentWindow(station) * Math.max(1, sensors)
}

/** The stations of whose own values a station's are made, itself among them. */
export const membersOf = (station: CatalogueStation): readonly CatalogueStation[] =>
  station.group?.conversion === undefined ? [station] : station.group.stations

/** Whether in a validity period a record of this station depends on one raw record alone. */
export const dependsOnOneRecord = (station: CatalogueStation, period: ValidityPeriod): boolean =>
  period.sensors.length <= 1 && station.group?.conversion === undefined

/**
 * The records of a station whose instants lie in a span, from the raw records of all sensors that
 * its members read, within its dependency range of the span.
 *
 * A record's instant is that of a raw record: of the station's first sensor, and of another one
 * where no earlier sensor of the list has a lead record within `alignSeconds`. The values
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
      if (validityPeriodAt(station.validityPeriods, times[at]!) !== undefined)
        instants.add(times[at]!)
  }
  return [...instants]
    .toSorted((a, b) => a - b)
    .map((time) => ({
      time,
      text: isRecordInstant(station, raw, time) ? textAt(station, raw, time) : undefined,
    }))
}

/** Whether the station has a record of its own at the instant of this raw record. */
export function isRecordInstant(station: CatalogueStation, raw: RawRecords, time: number): boolean {
  const sensors = validityPeriodAt(station.validityPeriods, time)?.sensors ?? []
  return sensors.some((sensor) => {
    const series = raw.get(sensor)
    if (series === undefined || series.times[findInstant(series.times, time)] !== time) return false
    return isLead(station, raw, sensor, time)
  })
}

/** Whether a sensor's record is a lead record: none of an earlier sensor is within the alignment window. */
function isLead(station: CatalogueStation, raw: RawRecords, sensor: string, time: number): boolean {
  const sensors = validityPeriodAt(station.validityPeriods, time)?.sensors ?? []
  const place = sensors.indexOf(sensor)
  if (place < 0) return false
  const alignment = alignmentWindow(station)
  return sensors
    .slice(0, place)
    .every(
      (before) =>
        !raw
          .get(before)
          ?.someWithin(
            time,
            alignment,
            (other) => other !== time && isLead(station, raw, before, other),
          ),
    )
}

/** The raw value that belongs to an instant: of the nearest record, within the alignment window. */
export function lookupAt(raw: RawRecords, time: number, alignment: number): RawLookup {
  return (sensor, key) => {
    const series = raw.get(sensor)
    const nearest = series?.findNearest(time, alignment)
    return nearest === undefined ? undefined : series!.valueAt(nearest, key)
  }
}

function textAt(station: CatalogueStation, raw: RawRecords, time: number): string | undefined {
  const lookup = lookupAt(raw, time, alignmentWindow(station))
  const period = validityPeriodAt(station.validityPeriods, time)
  const values = station.factor.items.map(({ key, precision }, at) => {
    const ofGroup = groupValueAt(station, raw, time, key)
    const derivation = period?.derivations[at]
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
    const alignment = Math.max(alignmentWindow(station), alignmentWindow(member))
    return { name, groupParams, value: ownValueAt(member, raw, { time, alignment }, source.from) }
  })
  return deriveGroup(conversion, members)[stations.indexOf(station)]
}

/** A member's own value at the time of another's record. */
export function ownValueAt(
  station: CatalogueStation,
  raw: RawRecords,
  { time, alignment }: { time: number; alignment: number },
  item: string,
): number | undefined {
  const place = station.itemIndex.get(item)
  const derivation =
    place === undefined
      ? undefined
      : validityPeriodAt(station.validityPeriods, time)?.derivations[place]
  if (derivation === undefined) return undefined
  const value = computeUnrounded(derivation, lookupAt(raw, time, alignment))
  return Number.isFinite(value) ? value : undefined
}

/** How far apart in time the values of several sensors may lie. */
export const alignmentWindow = ({ entry }: CatalogueStation): number =>
  (entry.from?.alignSeconds ?? 0) * 1000
