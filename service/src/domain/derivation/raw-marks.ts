import { findInstant } from '../records/record-list.ts'
import type { StoredMarks } from '../quality/qualified-values.ts'
import type { MarkLookup } from './derivation.ts'
import type { RawRecords } from './station-records.ts'

/** The marks of a sensor's raw records, oldest first. */
export type SensorMarks = readonly Readonly<{ time: number; marks: StoredMarks }>[]

/** Raw records by the id of their sensor, with the marks of their values. */
export type MarkedRecords = Readonly<{
  raw: RawRecords
  marks: ReadonlyMap<string, SensorMarks>
}>

/** Returns a lookup of the marks of the raw values that belong to an instant. */
export const markLookupAt =
  (records: MarkedRecords, time: number, alignment: number): MarkLookup =>
  (sensor, key) => {
    const near = rawInstantNear(records, sensor, { time, alignment })
    const place = records.marks.get(sensor)?.find((one) => one.time === near)
    return place?.marks[key]
  }

/**
 * The instant of the raw record that belongs to an instant; where there is none, that of the nearest
 * place without a good value.
 */
export function rawInstantNear(
  { raw, marks }: MarkedRecords,
  sensor: string,
  { time, alignment }: { time: number; alignment: number },
): number | undefined {
  const nearest = raw.get(sensor)?.timeNear(time, alignment)
  if (nearest !== undefined) return nearest
  const [first, ...others] = (marks.get(sensor) ?? [])
    .map((one) => one.time)
    .filter((other) => Math.abs(other - time) <= alignment)
  if (first === undefined) return undefined
  return others.reduce(
    (best, other) => (Math.abs(other - time) < Math.abs(best - time) ? other : best),
    first,
  )
}

/** The instants at which a sensor has marks and no record: all its values are bad. */
export function withoutGoodValue({ raw, marks }: MarkedRecords, sensor: string): number[] {
  const times = raw.get(sensor)?.times ?? []
  return (marks.get(sensor) ?? [])
    .map(({ time }) => time)
    .filter((time) => times[findInstant(times, time)] !== time)
}
