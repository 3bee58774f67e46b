import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/catalogue.ts'
import { eraAt } from '../domain/station-eras.ts'
import { isPlain, reachOf } from '../domain/station-records.ts'
import type { Door, IngestOptions } from './door.ts'
import { inTurn } from './in-turn.ts'
import { findDifferences, type Span } from './span-difference.ts'
import { sortDerived, type Derived } from './derive.ts'
import { writeRecords } from './write.ts'

/** Raw records of a sensor that were stored. */
export type Touched = { sensor: CatalogueSensor; time: number }

/** Instants less than this apart are looked at together. */
const TOGETHER_MILLISECONDS = 3_600_000

/** So many records are written at once, or the few more that a span has. */
const RECORDS_AT_ONCE = 10_000

/** What waits for its turn: it is looked at and written in one go. */
type Gathered = {
  readonly catalogue: Catalogue
  readonly change: number | undefined
  readonly spans: Map<CatalogueStation, readonly Span[]>
  done: Promise<void>
}

const waiting = new WeakMap<object, Gathered>()

/**
 * Derives what hangs on several sensors, after the raw records are stored.
 *
 * Whoever stores last sees all of them, so that no record is left half made, in whatever order and
 * by whichever process they came. Those who wait for their turn share it, and so one commit.
 */
export function settle(
  door: Door,
  catalogue: Catalogue,
  spans: Spans,
  { change }: Pick<IngestOptions, 'change'>,
): Promise<void> {
  const { data } = door.storage
  const open = waiting.get(data)
  if (open?.catalogue === catalogue && open.change === change) {
    for (const [station, list] of spans)
      open.spans.set(station, joinSpans([...(open.spans.get(station) ?? []), ...list]))
    return open.done
  }
  const gathered: Gathered = { catalogue, change, spans: new Map(spans), done: Promise.resolve() }
  waiting.set(data, gathered)
  gathered.done = inTurn(data, async () => {
    if (waiting.get(data) === gathered) waiting.delete(data)
    await settleNow(door, gathered)
  })
  return gathered.done
}

async function settleNow(door: Door, { catalogue, change, spans }: Gathered): Promise<void> {
  let derived: Derived[] = []
  const write = async () => {
    const { rows, gone } = sortDerived(derived)
    derived = []
    await writeRecords(door, catalogue, { theme: rows }, { change, gone: { theme: gone } })
  }
  for (const [station, ofStation] of spans)
    for (const span of ofStation) {
      const differences = await findDifferences(door.storage.data, catalogue, station, span)
      for (const { source, time, derived: record } of differences)
        derived.push({ source, time, record })
      if (derived.length >= RECORDS_AT_ONCE) await write()
    }
  if (derived.length > 0) await write()
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
  return new Map(
    Array.from(instants, ([station, list]) => [
      station,
      joinSpans(list.map(({ time, reach }) => ({ from: time - reach, to: time + reach }))),
    ]),
  )
}

function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to + TOGETHER_MILLISECONDS)
      last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}
