import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/catalogue.ts'
import { eraAt } from '../domain/station-eras.ts'
import { isPlain, reachOf } from '../domain/station-records.ts'
import type { Door, IngestOptions } from './door.ts'
import { inTurn } from './in-turn.ts'
import { findDifferences, type Span } from './span-difference.ts'
import { sortDerived } from './derive.ts'
import { writeRecords } from './write.ts'

/** Raw records of a sensor that were stored. */
export type Touched = { sensor: CatalogueSensor; time: number }

/** Instants less than this apart are looked at together. */
const TOGETHER_MILLISECONDS = 3_600_000

/**
 * Derives what hangs on several sensors, after the raw records are stored.
 *
 * Whoever stores last sees all of them, so that no record is left half made, in whatever order and
 * by whichever process they came.
 */
export async function settle(
  door: Door,
  catalogue: Catalogue,
  spans: Spans,
  options: Pick<IngestOptions, 'change'>,
): Promise<void> {
  await inTurn(door.storage.data, async () => {
    for (const [station, ofStation] of spans)
      for (const span of ofStation) {
        const differences = await findDifferences(door.storage.data, catalogue, station, span)
        if (differences.length === 0) continue
        const { rows, gone } = sortDerived(
          differences.map(({ source, time, derived }) => ({ source, time, record: derived })),
        )
        await writeRecords(door, catalogue, { theme: rows }, { ...options, gone: { theme: gone } })
      }
  })
}

/** Within these spans the records of stations may not be what follows from the raw ones. */
export type Spans = ReadonlyMap<CatalogueStation, readonly Span[]>

/** What has to be settled once raw records are stored. */
export function collectSpans(touched: readonly Touched[]): Spans {
  const instants = new Map<CatalogueStation, { time: number; reach: number }[]>()
  for (const { sensor, time } of touched)
    for (const fed of sensor.feeds) {
      const era = eraAt(fed.eras, time)
      if (fed.eras.length === 0 || (era !== undefined && isPlain(fed, era))) continue
      const stations = fed.group?.conversion === undefined ? [fed] : fed.group.stations
      for (const station of stations) {
        const reach = Math.max(reachOf(fed), reachOf(station))
        const known = instants.get(station)
        if (known === undefined) instants.set(station, [{ time, reach }])
        else known.push({ time, reach })
      }
    }
  return new Map(Array.from(instants, ([station, list]) => [station, joinSpans(list)]))
}

function joinSpans(list: { time: number; reach: number }[]): Span[] {
  const spans: Span[] = []
  for (const { time, reach } of list.toSorted((a, b) => a.time - b.time)) {
    const last = spans.at(-1)
    if (last !== undefined && time - reach <= last.to + TOGETHER_MILLISECONDS)
      last.to = Math.max(last.to, time + reach)
    else spans.push({ from: time - reach, to: time + reach })
  }
  return spans
}
