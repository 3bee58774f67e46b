import type { Group, Series } from '@plumbline/client'
import { parseLocal } from '../../chart/local-time.ts'

/** Where a station of a group is: how deep, or how far along. */
export type ProfilePoint = { stationId: number; name: string; position: number }

export type ProfilePlaces = {
  param: string
  unit: string
  isDepth: boolean
  points: ProfilePoint[]
}

/** The places of a group whose stations say where they are by a number. */
export function profilePlaces(group: Group): ProfilePlaces | undefined {
  for (const [key, meta] of Object.entries(group.params)) {
    const points = group.stations.flatMap(({ id, name, groupParams }) => {
      const position = Number(groupParams[key])
      return groupParams[key] !== undefined && Number.isFinite(position)
        ? [{ stationId: id, name, position }]
        : []
    })
    if (new Set(points.map(({ position }) => position)).size < 2) continue
    const { name = key, unit = '' } = (meta ?? {}) as { name?: string; unit?: string }
    points.sort((a, b) => a.position - b.position)
    return { param: name, unit, isDepth: /depth|深/i.test(`${key} ${name}`), points }
  }
  return undefined
}

export type ProfileCurve = { time: number; values: { position: number; value: number }[] }

/** The curves of a group at evenly spread times: of each station the last bucket up to that time. */
export function curvesOf(
  series: Series,
  key: string,
  { points }: Pick<ProfilePlaces, 'points'>,
  times: readonly number[],
): ProfileCurve[] {
  return times.map((time) => ({
    time,
    values: points.flatMap(({ stationId, position }) => {
      const station = series.stations.find(({ id }) => id === stationId)
      const mean = station?.items[key]?.mean
      if (station === undefined || mean === undefined) return []
      const at = station.times.findLastIndex(
        (text, index) => parseLocal(text) <= time && mean[index] !== null,
      )
      const value = mean[at]
      return value === undefined || value === null ? [] : [{ position, value }]
    }),
  }))
}

/** `count` times from the first to the last, both included. */
export const spread = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1))

/** The line of a curve: the mean of the stations that are at one place. */
export function meansOf({ values }: ProfileCurve): ProfileCurve['values'] {
  const places = Map.groupBy(values, ({ position }) => position)
  return [...places].map(([position, own]) => ({
    position,
    value: own.reduce((sum, { value }) => sum + value, 0) / own.length,
  }))
}
