import type { CatalogueGroup, CatalogueStation } from '../site/catalogue.ts'
import type { GroupConversion } from '../site/site-entry.ts'
import { computeUnrounded, type RawLookup } from './derivation.ts'
import { deriveGroup, groupItems } from './group-derivation.ts'
import { findInstant } from '../records/record-list.ts'
import { UNCERTAIN_INPUT, type Mark, type Marks } from '../quality/quality.ts'
import type { RawSeries } from '../records/raw-series.ts'
import { recordText } from '../records/record-text.ts'
import { roundToPrecision } from './rounding.ts'
import { validityPeriodAt, type ValidityPeriod } from './validity-periods.ts'

/**
 * A derived record of a station; without a text the station must have no record of that time. Values
 * that depend on an uncertain one have a mark.
 */
export type DerivedRecord = { time: number; text: string | undefined; marks?: Marks }

/** Raw records by the id of their sensor. */
export type RawRecords = ReadonlyMap<string, RawSeries>

/**
 * Returns the distance in milliseconds within which a record depends on raw records.
 *
 * A sensor's record leads unless an earlier sensor of the list has a lead record within the alignment
 * window, which may depend on a third one. So the distance grows with the number of sensors.
 */
export function dependencyRange(station: CatalogueStation): number {
  const sensors = station.entry.from?.sensors.length ?? 0
  return alignmentWindow(station) * Math.max(1, sensors)
}

/** Returns the stations whose own values a station's values depend on, including itself. */
export const membersOf = (station: CatalogueStation): readonly CatalogueStation[] =>
  station.group?.conversion === undefined ? [station] : station.group.stations

/** Whether a record of this station depends on a single raw record in a validity period. */
export const dependsOnOneRecord = (station: CatalogueStation, period: ValidityPeriod): boolean =>
  period.sensors.length <= 1 && station.group?.conversion === undefined

/**
 * Derives the records of a station in a span, from the raw records of all sensors that its members
 * read, within the dependency range of the span.
 *
 * A record has the instant of a lead record: of the station's first sensor, or of another one if no
 * earlier sensor of the list has a lead record within `alignSeconds`. The values of the other sensors
 * are the nearest within that time. The result does not depend on the order of arrival.
 */
export function deriveRecords(
  station: CatalogueStation,
  raw: RawRecords,
  from: number,
  to: number,
): DerivedRecord[] {
  const instants = new Set<number>()
  for (const sensor of station.entry.from?.sensors ?? []) {
    const series = raw.get(sensor)
    if (series === undefined) continue
    for (const time of [...series.timesBetween(from, to), ...series.badBetween(from, to)])
      // Before its first conversion a station's records are not derived.
      if (validityPeriodAt(station.validityPeriods, time) !== undefined) instants.add(time)
  }
  return [...instants]
    .toSorted((a, b) => a - b)
    .map((time) =>
      isRecordInstant(station, raw, time)
        ? recordAt(station, raw, time)
        : { time, text: undefined },
    )
}

/** Whether the station has a derived record at the instant of a raw record. */
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

/** Returns a lookup of the raw values nearest to an instant, within the alignment window. */
export function lookupAt(raw: RawRecords, time: number, alignment: number): RawLookup {
  return (sensor, key) => raw.get(sensor)?.valueNear(time, alignment, key)
}

function recordAt(station: CatalogueStation, raw: RawRecords, time: number): DerivedRecord {
  const series = [...raw.values()].filter(({ hasUncertain }) => hasUncertain)
  const countUncertain = (): number =>
    series.reduce((sum, { uncertainReads }) => sum + uncertainReads, 0)
  const marks: (Mark | undefined)[] = []
  const values = station.factor.items.map((_item, place) => {
    const before = countUncertain()
    const value = valueAt(station, raw, time, place)
    if (value !== undefined && countUncertain() > before) marks[place] = UNCERTAIN_INPUT
    return value
  })
  if (values.every((value) => value === undefined)) return { time, text: undefined }
  const text = recordText(station.quotedKeys, values, station.structure.zone.toLocal(time))
  return marks.length === 0 ? { time, text } : { time, text, marks }
}

/** The value of an item, rounded as it is stored. */
function valueAt(
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
  place: number,
): number | undefined {
  const item = station.factor.items[place]
  if (item === undefined) return undefined
  const groupValue = groupValueAt(station, raw, time, item.key)
  const derivation = validityPeriodAt(station.validityPeriods, time)?.derivations[place]
  const own = (): number =>
    derivation === undefined
      ? NaN
      : computeUnrounded(derivation, lookupAt(raw, time, alignmentWindow(station)))
  const unrounded = groupValue === undefined ? own() : (groupValue.value ?? NaN)
  return Number.isFinite(unrounded) ? roundToPrecision(unrounded, item.precision) : undefined
}

/** The conversion of a station's group, and the item that one of its items is computed from. */
type GroupSource = { group: CatalogueGroup; conversion: GroupConversion; from: string }

/** Returns how a station's group computes an item; undefined if it does not. */
export function groupSourceOf({ group }: CatalogueStation, item: string): GroupSource | undefined {
  if (group?.conversion === undefined) return undefined
  const { conversion } = group
  const from = groupItems(conversion).find((one) => one.item === item)?.from
  return from === undefined ? undefined : { group, conversion, from }
}

/** Computes the value that a station's group gives an item; undefined if it gives none. */
export function groupValueAt(
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
  item: string,
): { value?: number; absent?: string } | undefined {
  const source = groupSourceOf(station, item)
  if (source === undefined) return undefined
  const { stations } = source.group
  const members = stations.map((member) => {
    const { name, groupParams } = member.entry
    const alignment = Math.max(alignmentWindow(station), alignmentWindow(member))
    return { name, groupParams, value: ownValueAt(member, raw, { time, alignment }, source.from) }
  })
  return deriveGroup(source.conversion, members)[stations.indexOf(station)]
}

/** Computes a member's own value at the time of another member's record. */
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

/** The alignment window of a station in milliseconds. */
export const alignmentWindow = ({ entry }: CatalogueStation): number =>
  (entry.from?.alignSeconds ?? 0) * 1000
