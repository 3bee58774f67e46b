import { isConflict } from '../errors/conflict-error.ts'
import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { dependsOnOneRecord, dependencyRange } from '../domain/derivation/station-records.ts'
import type { RawBasis } from '../storage/storage.ts'
import type { Door, IngestOptions } from '../ingest/records/door.ts'
import { inTurn } from '../concurrency/serial-queue.ts'
import { sortDerived, type Derived } from './derive.ts'
import { mendSpan, type MendOptions } from './recompute-span.ts'
import { compareSpan, type Span } from './span-difference.ts'
import { writeRecords } from '../ingest/records/write-records.ts'

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
  let compared: Compared[] = []
  let count = 0
  const write = async () => {
    const due = compared
    compared = []
    count = 0
    await writeTogether(door, catalogue, due, { change, isOwnFree: true })
  }
  for (const [station, ofStation] of spans)
    for (const span of ofStation) {
      const { basis, differences } = await compareSpan(door.storage.data, catalogue, station, span)
      if (differences.length === 0) continue
      const derived = differences.map(({ source, time, derived: record }) => ({
        source,
        time,
        record,
      }))
      compared.push({ station, span, basis, derived })
      count += derived.length
      if (count >= RECORDS_AT_ONCE) await write()
    }
  if (count > 0) await write()
}

type Compared = { station: CatalogueStation; span: Span; basis: RawBasis; derived: Derived[] }

/** All in one commit; where another process came between, each span by itself. */
async function writeTogether(
  door: Door,
  catalogue: Catalogue,
  compared: readonly Compared[],
  options: MendOptions,
): Promise<void> {
  const { rows, gone } = sortDerived(compared.flatMap(({ derived }) => derived))
  const raw = compared.flatMap(({ basis }) => basis)
  const basis = { raw, isOwnFree: options.isOwnFree }
  const { change } = options
  try {
    await writeRecords(door, catalogue, { theme: rows }, { change, gone: { theme: gone }, basis })
  } catch (error) {
    if (!isConflict(error, 'records')) throw error
    for (const { station, span } of compared)
      await mendSpan(door, catalogue, station, span, options)
  }
}

/** Within these spans the records of stations may not be what follows from the raw ones. */
export type Spans = ReadonlyMap<CatalogueStation, readonly Span[]>

/** What has to be settled once raw records are stored. */
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
