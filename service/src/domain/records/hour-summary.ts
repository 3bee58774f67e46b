import type { Zone } from '../time/local-time.ts'
import { HOUR_MS, Periods } from '../time/periods.ts'

/** What is left of the values of one item; `sum` is what adding them up in order of time gives. */
export type ItemSummary = {
  minimum: number
  maximum: number
  sum: number
  count: number
  first: number
  last: number
}

/** The records of one period of time. */
export type PeriodSummary = {
  /** The instant at which the period begins. */
  start: number
  /** By item key; never empty. */
  items: Map<string, ItemSummary>
}

/** The records of one local hour; the hour that comes twice is two, since their instants differ. */
export type HourSummary = PeriodSummary

/** A record read back from its text; a value is a number, except for `time`. */
export type ParsedRecord = { readonly [key: string]: number } & { readonly time: string }

/**
 * Sums up records by local hours, in ascending order.
 *
 * `records` are record texts joined by commas, `times` their instants, ascending.
 */
export function summarizeHours(
  records: Uint8Array | string,
  times: ArrayLike<number>,
  zone: Zone,
): HourSummary[] {
  return summarizeRecords(readRecords(records), times, new Periods(HOUR_MS, zone))
}

/** Reads record texts joined by commas. */
export function readRecords(records: Uint8Array | string): ParsedRecord[] {
  const text = typeof records === 'string' ? records : Buffer.from(records).toString()
  return JSON.parse(`[${text}]`) as ParsedRecord[]
}

/** Sums up records of ascending instants by periods, in ascending order. */
export function summarizeRecords(
  records: readonly ParsedRecord[],
  times: ArrayLike<number>,
  periods: Periods,
): PeriodSummary[] {
  const summaries: PeriodSummary[] = []
  let items: PeriodSummary['items'] = new Map()
  let end = -Infinity
  for (let at = 0; at < records.length; at++) {
    const time = times[at]!
    if (time >= end) {
      const period = periods.at(time)
      end = period.end
      items = new Map()
      summaries.push({ start: period.start, items })
    }
    const record = records[at]!
    for (const key in record) if (key !== 'time') addValue(items, key, record[key]!)
  }
  return summaries
}

function addValue(items: PeriodSummary['items'], key: string, value: number): void {
  const item = items.get(key)
  if (item === undefined) {
    const only = { minimum: value, maximum: value, sum: value, count: 1, first: value, last: value }
    items.set(key, only)
    return
  }
  if (value < item.minimum) item.minimum = value
  if (value > item.maximum) item.maximum = value
  item.sum += value
  item.count++
  item.last = value
}

/** One summary of two of the same period; all records of `later` come after those of `earlier`. */
export function mergeSummaries(earlier: PeriodSummary, later: PeriodSummary): PeriodSummary {
  const items = new Map<string, ItemSummary>()
  addItems(items, earlier.items)
  addItems(items, later.items)
  return { start: earlier.start, items }
}

/** Adds items of later records to those of earlier ones. */
export function addItems(
  earlier: Map<string, ItemSummary>,
  later: ReadonlyMap<string, ItemSummary>,
): void {
  for (const [key, item] of later) {
    const known = earlier.get(key)
    if (known === undefined) {
      earlier.set(key, { ...item })
      continue
    }
    if (item.minimum < known.minimum) known.minimum = item.minimum
    if (item.maximum > known.maximum) known.maximum = item.maximum
    known.sum += item.sum
    known.count += item.count
    known.last = item.last
  }
}
