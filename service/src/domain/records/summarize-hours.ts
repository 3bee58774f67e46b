import { setImmediate } from 'node:timers/promises'
import {
  mergeSummaries,
  readRecords,
  summarizeRecords,
  type HourSummary,
  type ParsedRecord,
  type PeriodSummary,
} from './hour-summary.ts'
import { joinRecords, type RecordList } from './record-list.ts'
import type { Zone } from '../time/local-time.ts'
import { HOUR_MS, Periods } from '../time/periods.ts'
import { readMinute, twoDigits } from '../time/wall-clock.ts'

/** A query of the hours of a window of records. */
export type HourQuery = {
  kind: 'theme' | 'raw'
  /** The id of a station or the key of a sensor. */
  source: number
  /** First and last instant, both inclusive. */
  from: number
  to: number
  /** The zone of the hours. */
  zone: Zone
  /** Only this item, and only the hours that have it; by default all items. */
  item?: string
}

/** Yields the records of a window as JSON texts joined by commas. */
type ReadText = (
  query: Omit<HourQuery, 'zone' | 'item'> & { shape: 'flat' },
) => AsyncIterable<Uint8Array>

/** Yields the hour summaries of a window, computed from its records. */
export function hoursOfRecords(read: ReadText, query: HourQuery): AsyncGenerator<HourSummary> {
  return summarizeWindow(read, query, new Periods(HOUR_MS, query.zone))
}

/** Yields the summaries of a window by periods, in ascending order; with `item` only that item. */
export async function* summarizeWindow(
  read: ReadText,
  query: HourQuery,
  periods: Periods,
): AsyncGenerator<PeriodSummary> {
  let last: PeriodSummary | undefined
  for await (const { records, times } of readTimed(read, query)) {
    for (const found of summarizeRecords(records, times, periods)) {
      const summary = query.item === undefined ? found : only(query.item, found)
      if (summary === undefined) continue
      if (last?.start === summary.start) last = mergeSummaries(last, summary)
      else {
        if (last !== undefined) yield last
        last = summary
      }
    }
  }
  if (last !== undefined) yield last
}

/**
 * The same by the exact instants of the records, for periods of less than a second: texts of records
 * have whole seconds. Several summaries in a row may be of one period.
 */
export async function* summarizeInstants(
  lists: AsyncIterable<RecordList>,
  periods: Periods,
  item: string | undefined,
): AsyncGenerator<PeriodSummary> {
  for await (const { times, texts } of lists) {
    for (const found of summarizeRecords(readRecords(joinRecords(texts)), times, periods)) {
      const summary = item === undefined ? found : only(item, found)
      if (summary !== undefined) yield summary
    }
    // Reading is synchronous: without a pause other requests would wait for all of it.
    await setImmediate()
  }
}

function only(key: string, { start, items }: PeriodSummary): PeriodSummary | undefined {
  const item = items.get(key)
  return item === undefined ? undefined : { start, items: new Map([[key, item]]) }
}

type TimedRecords = { records: ParsedRecord[]; times: Float64Array }

/**
 * Yields the records of a window with the instants of their local times.
 *
 * A local time is ambiguous when clocks are set back, so each read ends at a change of offset:
 * within one offset every local time is one instant.
 */
async function* readTimed(
  read: ReadText,
  { kind, source, from, to, zone }: HourQuery,
): AsyncGenerator<TimedRecords> {
  const part = { kind, source, shape: 'flat' } as const
  for (let start = from; start <= to;) {
    const first = await firstClock(read({ ...part, from: start, to }))
    if (first === undefined) return
    const { offset, end } = spanOf(first, start, zone)
    for await (const chunk of read({ ...part, from: start, to: Math.min(to, end - 1) })) {
      const records = readRecords(chunk)
      yield { records, times: Float64Array.from(records, (record) => clockOf(record) - offset) }
      // Reading is synchronous: without a pause other requests would wait for all of it.
      await setImmediate()
    }
    start = end
  }
}

/** The offset span of the first record since `start`, or an earlier one. */
function spanOf(clock: number, start: number, zone: Zone) {
  const { offset } = zone.spanAtLocal(clock)
  return zone.spanAt(Math.max(clock - offset, start))
}

async function firstClock(chunks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  for await (const chunk of chunks) {
    const [first] = readRecords(chunk)
    if (first !== undefined) return clockOf(first)
  }
  return undefined
}

/** The local time of a record in milliseconds, as if it were UTC. */
const clockOf = ({ time }: ParsedRecord): number => readMinute(time) + twoDigits(time, 17) * 1000
