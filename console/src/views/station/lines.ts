import type { FactorItem } from '@plumbline/client'
import type { StationPlace } from '../../state/station-place.ts'

/** One item of one station in the chart. */
export type Line = {
  /** `1001.strain`, as in the address. */
  id: string
  stationId: number
  /** What tells it from the others: the name of the station, of the item, or both. */
  name: string
  itemName: string
  key: string
  unit: string
  precision: number
  /** Its place among the colours; stays while others are hidden. */
  colour: number
  isShown: boolean
  /** 0 left, 1 right. */
  axis: 0 | 1
}

type Item = { key: string; name: string; unit: string }

/** What a station has: items with records, by key. */
export type StationItems = { stationId: number; items: readonly Item[] }

/** The items that were seen with those that are new; the same list where there are none. */
export function mergeItems(
  seen: readonly StationItems[],
  more: readonly StationItems[],
): readonly StationItems[] {
  return more.reduce((all, { stationId, items }) => {
    const before = all.find((one) => one.stationId === stationId)?.items ?? []
    const added = items.filter(({ key }) => before.every((one) => one.key !== key))
    if (added.length === 0) return all
    const others = all.filter((one) => one.stationId !== stationId)
    return [...others, { stationId, items: [...before, ...added] }]
  }, seen)
}

/**
 * The lines of stations. Without a choice everything of the first two units is shown: a chart has an axis
 * at each side. A third unit needs another to be hidden first.
 */
export function linesOf(
  places: readonly StationPlace[],
  items: readonly StationItems[],
  chosen: readonly string[] | undefined,
): Line[] {
  const units: string[] = []
  const isFor = (unit: string, id: string): boolean => {
    if (chosen !== undefined && !chosen.includes(id)) return false
    if (!units.includes(unit) && units.length < 2) units.push(unit)
    return units.includes(unit)
  }
  let colour = 0
  return places.flatMap((place) => {
    const own = items.find(({ stationId }) => stationId === place.id)?.items ?? []
    return own.map(({ key, name, unit }): Line => {
      const id = `${place.id}.${key}`
      const isShown = isFor(unit, id)
      return {
        id,
        stationId: place.id,
        name: nameOf(place.name, name, places.length, own.length),
        itemName: name,
        key,
        unit,
        precision: decimalsOf(place.factor.items.find((item) => item.name === name)),
        colour: colour++,
        isShown,
        axis: units.indexOf(unit) === 1 ? 1 : 0,
      }
    })
  })
}

function nameOf(station: string, item: string, stations: number, items: number): string {
  if (items === 1) return station
  return stations === 1 ? item : `${station}: ${item}`
}

/** The decimals of an item whose precision is a step such as 0.001. */
export function decimalsOf(item: Pick<FactorItem, 'precision'> | undefined): number {
  if (item === undefined || !(item.precision > 0)) return 3
  return Math.min(Math.max(0, Math.ceil(-Math.log10(item.precision) - 1e-9)), 12)
}
