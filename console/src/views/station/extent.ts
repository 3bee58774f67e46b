import type { ThemeData } from '@plumbline/client'
import { formatLocal, parseLocal } from '../../chart/local-time.ts'
import { client } from '../../state/api.ts'
import { endingAt, fit, PRESETS, type Window } from './window.ts'

/** The week that ends with the newest record of stations, or less; null where they have no record. */
export async function findNewestWindow(
  stations: number[],
  signal: AbortSignal,
): Promise<Window | null> {
  const last = await findLast(stations, signal)
  if (last === -Infinity) return null
  const week = endingAt(last, PRESETS.week)
  return fit(week, await findStart(stations, week, signal), week.to)
}

/** The window from the first to the newest record of stations. */
export async function findWholeWindow(stations: number[]): Promise<Window> {
  const to = await findLast(stations)
  const first = await findStart(stations, { from: parseLocal('1970-01-01'), to })
  return fit({ from: first, to: first + 1e10 }, first, to)
}

async function findLast(stations: number[], signal?: AbortSignal): Promise<number> {
  const data: ThemeData = await client.getThemeData({ stations, limit: 1 }, { signal })
  return Math.max(
    ...data.stations.flatMap((station) => station.data.map(({ time }) => parseLocal(String(time)))),
  )
}

/** When stations have their first record of a window, exact to a thousandth of it. */
async function findFirst(
  stations: number[],
  { from, to }: Window,
  signal?: AbortSignal,
): Promise<number> {
  const series = await client.getSeries(
    { stations, startTime: formatLocal(from), endTime: formatLocal(to), points: 1000 },
    { signal },
  )
  return Math.min(...series.stations.flatMap(({ times }) => times.slice(0, 1).map(parseLocal)))
}

/** The same, exact to a millionth or so: a second search is within what the first one has found. */
async function findStart(
  stations: number[],
  window: Window,
  signal?: AbortSignal,
): Promise<number> {
  const from = await findFirst(stations, window, signal)
  const to = Math.min(window.to, from + (window.to - window.from) / 250)
  return Number.isFinite(from) && to > from ? findFirst(stations, { from, to }, signal) : from
}
