import type { QualifiedRecords, Series } from '@plumbline/client'
import { parseLocal } from '../../chart/local-time.ts'
import type { Line } from './lines.ts'

type Value = number | null

/** The values of a line, smallest, mean and largest of each bucket; with single records all three are one. */
export type Points = { times: number[]; low: Value[]; mean: Value[]; high: Value[] }

/** One of the points of a line. */
export type Point = { low: Value; mean: number; high: Value }

/** The last point up to a time. */
export function lastPoint({ times, low, mean, high }: Points, until: number): Point | undefined {
  const at = times.findLastIndex((time, index) => time <= until && mean[index] != null)
  const value = mean[at]
  return value == null ? undefined : { low: low[at] ?? null, mean: value, high: high[at] ?? null }
}

/** The single records of a station. */
export type StationRecords = { stationId: number; name: string; records: QualifiedRecords }

export type Mark = {
  time: number
  value: number
  quality: 'uncertain' | 'bad'
  reason: string
  lineId: string
}

/** The points of a line in summaries; undefined where the station has none of the item. */
export function pointsOfSeries(series: Series, line: Line): Points | undefined {
  const station = series.stations.find(({ id }) => id === line.stationId)
  const item = station?.items[line.key]
  if (station === undefined || item === undefined) return undefined
  const { minimum: low, mean, maximum: high } = item
  return { times: inOrder(station.times.map(parseLocal)), low, mean, high }
}

/** How many values the lines have in the window. */
export function countValues(series: Series): number {
  return Math.max(
    0,
    ...series.stations.flatMap(({ items }) =>
      Object.values(items).map(({ count }) => count.reduce((sum, one) => sum + one, 0)),
    ),
  )
}

/** When records are drawn. */
export const timesOfRecords = ({ records }: QualifiedRecords): number[] =>
  inOrder(records.map(({ time }) => parseLocal(time)))

/** The points of a line in single records. */
export function pointsOfRecords(list: QualifiedRecords, line: Line): Points {
  const own = timesOfRecords(list).flatMap((time, at) => {
    const { values } = list.records[at]!
    return line.key in values ? [{ time, value: values[line.key] ?? null }] : []
  })
  const values = own.map(({ value }) => value)
  return { times: own.map(({ time }) => time), low: values, mean: values, high: values }
}

/** The items that records have values of, bad ones too. */
export const keysOfRecords = ({ records }: QualifiedRecords): string[] => [
  ...new Set(
    records.flatMap(({ values, quality = {} }) => [
      ...Object.keys(values),
      ...Object.keys(quality),
    ]),
  ),
]

/** The values of a line that are not simply good. */
export function marksOf(list: QualifiedRecords, line: Line): Mark[] {
  const times = timesOfRecords(list)
  return list.records.flatMap(({ values, quality }, at): Mark[] => {
    const own = quality?.[line.key]
    const value = own?.value ?? values[line.key]
    if (own === undefined || own.quality === 'good' || value === undefined) return []
    return [{ time: times[at]!, value, quality: own.quality, reason: own.reason, lineId: line.id }]
  })
}

/** Clocks go back by no more than this, in seconds. */
const LONGEST_REPEAT = 3 * 3600

/**
 * Local times one after the other. Where clocks go back, a part of the day comes twice: its two passes
 * share its width, the first one on the left, so that neither hides the other.
 */
export function inOrder(times: readonly number[]): number[] {
  const result = [...times]
  for (let back = 1; back < times.length; back++) {
    const [start, end] = [times[back]!, times[back - 1]!]
    if (start >= end || end - start > LONGEST_REPEAT) continue
    for (let at = back - 1; at >= 0 && times[at]! > start; at--)
      result[at] = (start + times[at]!) / 2
    for (let at = back; at < times.length && times[at]! < end; at++)
      result[at] = (end + times[at]!) / 2
  }
  return separate(result)
}

/** A chart needs times that differ. */
function separate(times: readonly number[]): number[] {
  let last = -Infinity
  return times.map((time) => (last = time > last ? time : last + 0.001))
}

/** A pause of this many usual steps breaks a line. */
const GAP_STEPS = 10

/** The points with a break in each gap, so that no line claims values where there are none. */
export function withGaps(points: Points): Points {
  const { times } = points
  const steps = times.slice(1).map((time, at) => time - times[at]!)
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  const result: Points = { times: [], low: [], mean: [], high: [] }
  const add = (time: number, at: number | undefined): void => {
    result.times.push(time)
    for (const name of ['low', 'mean', 'high'] as const)
      result[name].push(at === undefined ? null : (points[name][at] ?? null))
  }
  for (const [at, time] of times.entries()) {
    const step = at === 0 ? 0 : time - times[at - 1]!
    if (step > usual * GAP_STEPS) add(time - step / 2, undefined)
    add(time, at)
  }
  return result
}
