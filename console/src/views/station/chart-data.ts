import type { QualifiedRecords, Series } from '@plumbline/client'
import { parseLocal } from '../../chart/local-time.ts'
import type { Line } from './lines.ts'

type Value = number | null

/** The values of a line, smallest, mean and largest of each bucket; with single records all three are one. */
export type Points = { times: number[]; low: Value[]; mean: Value[]; high: Value[] }

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
  return { times: ascending(station.times.map(parseLocal)), low, mean, high }
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

/** The points of a line in single records. */
export function pointsOfRecords({ records }: QualifiedRecords, line: Line): Points {
  const own = records.filter(({ values }) => line.key in values)
  const values = own.map((record) => record.values[line.key] ?? null)
  return {
    times: ascending(own.map(({ time }) => parseLocal(time))),
    low: values,
    mean: values,
    high: values,
  }
}

/** The values of a line that are not simply good. */
export function marksOf({ records }: QualifiedRecords, line: Line): Mark[] {
  return records.flatMap(({ time, values, quality }): Mark[] => {
    const own = quality?.[line.key]
    const value = own?.value ?? values[line.key]
    if (own === undefined || own.quality === 'good' || value === undefined) return []
    return [
      { time: parseLocal(time), value, quality: own.quality, reason: own.reason, lineId: line.id },
    ]
  })
}

/** Local times repeat an hour when clocks go back: a chart needs them one after the other. */
function ascending(times: number[]): number[] {
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
