import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { dependsOnOneRecord, dependencyRange } from '../domain/derivation/station-records.ts'
import type { CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import type { Span } from './span.ts'

/** A raw record that was stored or deleted. */
type ChangedRaw = { sensor: CatalogueSensor; time: number }

/** Spans with at most this between them are computed together. */
const TOGETHER_MILLISECONDS = 3_600_000

/** Spans within which the records of stations have to be derived again. */
export type Spans = ReadonlyMap<CatalogueStation, readonly Span[]>

/** The spans of the stations that depend on these raw records and on those of other sensors. */
export function collectSpans(changed: readonly ChangedRaw[]): Spans {
  const instants = new Map<CatalogueStation, { time: number; range: number }[]>()
  for (const { sensor, time } of changed)
    for (const fed of sensor.feeds) {
      const period = validityPeriodAt(fed.validityPeriods, time)
      if (
        fed.validityPeriods.length === 0 ||
        (period !== undefined && dependsOnOneRecord(fed, period))
      )
        continue
      const stations = fed.group?.conversion === undefined ? [fed] : fed.group.stations
      for (const station of stations) {
        const range = Math.max(dependencyRange(fed), dependencyRange(station))
        instants.getOrInsertComputed(station, () => []).push({ time, range })
      }
    }
  return new Map(
    Array.from(instants, ([station, list]) => [
      station,
      joinSpans(list.map(({ time, range }) => ({ from: time - range, to: time + range }))),
    ]),
  )
}

/** Sorts spans, and joins those with at most `between` milliseconds between them. */
export function joinSpans(spans: readonly Span[], between = TOGETHER_MILLISECONDS): Span[] {
  const joined: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to + between) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}
