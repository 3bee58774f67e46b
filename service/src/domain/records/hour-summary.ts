import type { Zone } from '../time/local-time.ts'
import { HOUR_MS, Periods } from '../time/periods.ts'

/** A summary of the values of one item; `sum` is added up in order of time. */
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
  /** The first instant of the period. */
  start: number
  /** By item key; never empty. */
  items: Map<string, ItemSummary>
}

/** The records of one local hour. The hour that occurs twice is two hours. */
export type HourSummary = PeriodSummary

/** A record parsed from its text; every member except `time` is a number. */
export type ParsedRecord = { readonly [key: string]: number } & { readonly time: string }

/**
 * Summarises records by local hours, in ascending order.
 *
 * `records` are record texts joined by commas, `times` their ascending instants.
 */
export function summarizeHours(
  records: Uint8Array | string,
  times: ArrayLike<number>,
  zone: Zone,
): HourSummary[] {
  return summarizeRecords(readRecords(records), times, new Periods(HOUR_MS, zone))
}

/** Parses record texts joined by commas. */
export function readRecords(records: Uint8Array | string): ParsedRecord[] {
  const text = typeof records === 'string' ? records : Buffer.from(records).toString()
  return JSON.parse(`[${text}]`)
}

/** Summarises records of ascending instants by periods, in ascending order. */
export function summarizeRecords(
  records: readonly ParsedRecord[],
  times: ArrayLike<number>,
  periods: Periods,
): PeriodSummary[] {
  const summaries: PeriodSummary[] = []
  let items: PeriodSummary['items'] = new Map()
  let end = -Infinity
  for (let at = 0; at < records.length; at++) {
    const record = records[at]
    const time = times[at]
    if (record === undefined || time === undefined)
      throw new RangeError('a list of records has fewer instants than texts')
    if (time >= end) {
      const period = periods.at(time)
      end = period.end
      items = new Map()
      summaries.push({ start: period.start, items })
    }
    for (const key in record) {
      const value = record[key]
      if (value !== undefined && key !== 'time') addValue(items, key, value)
    }
  }
  return summaries
}

function addValue(items: PeriodSummary['items'], key: string, value: number): void {
  const item = items.get(key)
  if (item === undefined) {
    const first = {
      minimum: value,
      maximum: value,
      sum: value,
      count: 1,
      first: value,
      last: value,
    }
    items.set(key, first)
    return
  }
  if (value < item.minimum) item.minimum = value
  if (value > item.maximum) item.maximum = value
  item.sum += value
  item.count++
  item.last = value
}

/** Merges two summaries of one period; all records of `later` are after those of `earlier`. */
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
    const sum = earlier.get(key)
    if (sum === undefined) {
      earlier.set(key, { ...item })
      continue
    }
    if (item.minimum < sum.minimum) sum.minimum = item.minimum
    if (item.maximum > sum.maximum) sum.maximum = item.maximum
    sum.sum += item.sum
    sum.count += item.count
    sum.last = item.last
  }
}
