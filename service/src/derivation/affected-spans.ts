import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { dependsOnOneRecord, dependencyRange } from '../domain/derivation/station-records.ts'
import type { CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import type { Span } from './span-difference.ts'

/** Raw records of a sensor that were stored or deleted. */
export type Touched = { sensor: CatalogueSensor; time: number }

/** Spans with less than this between them are computed together. */
const TOGETHER_MILLISECONDS = 3_600_000

/** Spans within which the records of stations may not be those derived from the raw ones. */
export type Spans = ReadonlyMap<CatalogueStation, readonly Span[]>

/** The spans of stations that depend on raw records and on other sensors' beside them. */
export function collectSpans(touched: readonly Touched[]): Spans {
  const instants = new Map<CatalogueStation, { time: number; reach: number }[]>()
  for (const { sensor, time } of touched)
    for (const fed of sensor.feeds) {
      const era = validityPeriodAt(fed.validityPeriods, time)
      if (fed.validityPeriods.length === 0 || (era !== undefined && dependsOnOneRecord(fed, era)))
        continue
      const stations = fed.group?.conversion === undefined ? [fed] : fed.group.stations
      for (const station of stations) {
        const reach = Math.max(dependencyRange(fed), dependencyRange(station))
        const known = instants.get(station)
        if (known === undefined) instants.set(station, [{ time, reach }])
        else known.push({ time, reach })
      }
    }
  return new Map(
    Array.from(instants, ([station, list]) => [
      station,
      joinSpans(list.map(({ time, reach }) => ({ from: time - reach, to: time + reach }))),
    ]),
  )
}

/** Spans in their order, joined where there is no more between two of them. */
export function joinSpans(spans: readonly Span[], between = TOGETHER_MILLISECONDS): Span[] {
  const joined: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to + between) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}
