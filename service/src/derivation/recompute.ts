import { setImmediate } from 'node:timers/promises'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import { BackTestRun, type BackTestReport } from '../domain/alarms/back-test.ts'
import { STRUCTURE_ALARMS } from '../domain/alarms/alarm-settings.ts'
import type { StationBatch } from '../domain/alarms/station-evaluator.ts'
import { valuesOf } from '../domain/records/record-values.ts'
import { beginChange } from '../commit/begin-change.ts'
import type { Comparison, Difference } from './span-difference.ts'
import type { Span } from './span.ts'
import type { StationDerivation } from './station-derivation.ts'
import type { ChangeStore } from '../storage/storage.ts'

/** What recomputing changes at one station. */
export type StationDifference = {
  station: CatalogueStation
  /** Records that were compared. */
  records: number
  changed: number
  added: number
  removed: number
  /** By item: how many values differ, and by how much at the most. */
  items: Map<string, { values: number; largest: number }>
  alarms: AlarmDifference[]
}

/** The number of alarms of thresholds and rules over the span, where it differs. */
type AlarmDifference = {
  alarmTypeCode: string
  level: number
  before: number
  after: number
}

type RecomputeOptions = {
  catalogue: Catalogue
  structure: number
  span: Span
  /** The current instant: records far beyond it are not computed. */
  now: number
  /** The change that the records are stored with; left out: nothing is stored. */
  change?: number | undefined
  signal?: AbortSignal | undefined
  onProgress?(progress: { done: number; total: number }): void
}

/** The span of a station's records that is compared at once. */
const CHUNK_MILLISECONDS = 86_400_000

/** The stations of a structure whose values are derived from raw ones. */
export const listDerived = (catalogue: Catalogue, structure: number): CatalogueStation[] =>
  [...catalogue.stations.values()].filter(
    ({ entry, validityPeriods }) => entry.structure === structure && validityPeriods.length > 0,
  )

/**
 * Compares the records of a structure with those derived from its raw records, and stores the derived
 * ones if there is a `change`. Live records may be stored meanwhile. A second run finds no difference.
 */
export async function recompute(
  derivation: Pick<StationDerivation, 'recompute'>,
  options: RecomputeOptions,
): Promise<StationDifference[]> {
  const { catalogue, change } = options
  const stations = listDerived(catalogue, options.structure)
  const span = {
    ...options.span,
    to: Math.min(options.span.to, options.now + CHUNK_MILLISECONDS),
  }
  const count = countChunks(span)
  const total = stations.length * count
  const differences: StationDifference[] = []
  for (const [index, station] of stations.entries()) {
    const tally = new Tally(station, catalogue)
    let done = index * count
    for (const chunk of cut(span)) {
      if (options.signal?.aborted) break
      // A long span has many days without records: other work runs between them.
      await setImmediate()
      tally.add(await derivation.recompute(catalogue, station, chunk, { change }))
      options.onProgress?.({ done: ++done, total })
    }
    differences.push(tally.end())
  }
  return differences
}

/** Begins a change, or resumes the same one where it did not finish. */
export async function beginRecomputing(
  changes: ChangeStore,
  structure: number,
  { startTime, endTime }: { startTime: string; endTime: string },
  now: number,
): Promise<number> {
  const description = `structure ${structure} from ${startTime} to ${endTime}`
  const { id } = await beginChange(changes, { kind: 'recompute', description }, now)
  return id
}

function* cut({ from, to }: Span): Generator<Span> {
  for (let start = from; start <= to;) {
    const next = (Math.floor(start / CHUNK_MILLISECONDS) + 1) * CHUNK_MILLISECONDS
    yield { from: start, to: Math.min(to, next - 1) }
    start = next
  }
}

const countChunks = ({ from, to }: Span): number =>
  Math.max(0, Math.floor(to / CHUNK_MILLISECONDS) - Math.floor(from / CHUNK_MILLISECONDS) + 1)

class Tally {
  readonly #difference: StationDifference
  readonly #before: BackTestRun
  readonly #after: BackTestRun

  constructor(station: CatalogueStation, catalogue: Catalogue) {
    this.#difference = {
      station,
      records: 0,
      changed: 0,
      added: 0,
      removed: 0,
      items: new Map(),
      alarms: [],
    }
    const settings = {
      batches: batchesOf(station, catalogue),
      items: station.factor.items,
      severity: station.structure.entry.alarms?.severity ?? STRUCTURE_ALARMS.severity,
      zone: station.structure.zone,
    }
    this.#before = new BackTestRun(settings)
    this.#after = new BackTestRun(settings)
  }

  add({ kept, differences }: Comparison): void {
    const after = new Map(kept)
    for (const difference of differences) {
      this.#count(difference)
      if (difference.derived === undefined) after.delete(difference.time)
      else after.set(difference.time, difference.derived)
    }
    this.#difference.records += after.size
    this.#evaluate(this.#before, kept)
    this.#evaluate(this.#after, after)
  }

  end(): StationDifference {
    this.#difference.alarms = compareAlarms(this.#before.report(), this.#after.report())
    return this.#difference
  }

  #count({ kept, derived }: Difference): void {
    if (kept === undefined) this.#difference.added++
    else if (derived === undefined) this.#difference.removed++
    else this.#difference.changed++
    const [before, after] = [this.#valuesOf(kept), this.#valuesOf(derived)]
    for (const [at, { key }] of this.#difference.station.factor.items.entries()) {
      const [old, now] = [before[at], after[at]]
      if (old === now) continue
      const item = this.#difference.items.getOrInsert(key, { values: 0, largest: 0 })
      item.values++
      if (old !== undefined && now !== undefined)
        item.largest = Math.max(item.largest, Math.abs(now - old))
    }
  }

  #evaluate(test: BackTestRun, texts: ReadonlyMap<number, string>): void {
    const inOrder = [...texts].toSorted(([one], [other]) => one - other)
    for (const [time, text] of inOrder) test.add(time, this.#valuesOf(text))
  }

  #valuesOf(text: string | undefined): (number | undefined)[] {
    return text === undefined ? [] : valuesOf(text, this.#difference.station.itemIndex)
  }
}

function batchesOf({ entry }: CatalogueStation, catalogue: Catalogue): StationBatch[] {
  return catalogue
    .listThresholdBatches(entry.structure, entry.factor)
    .filter(({ stations }) => stations.includes(entry.id))
}

function compareAlarms(before: BackTestReport, after: BackTestReport): AlarmDifference[] {
  const counts = new Map<string, AlarmDifference>()
  for (const [report, side] of [
    [before, 'before'],
    [after, 'after'],
  ] as const)
    for (const { alarmTypeCode, level, count } of report.rows) {
      const none = { alarmTypeCode, level, before: 0, after: 0 }
      counts.getOrInsert(`${alarmTypeCode} ${level}`, none)[side] += count
    }
  return [...counts.values()].filter(({ before, after }) => before !== after)
}
