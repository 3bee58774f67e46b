import { setImmediate } from 'node:timers/promises'
import {
  mergeSummaries,
  readRecords,
  summarizeRecords,
  type HourSummary,
  type ParsedRecord,
  type PeriodSummary,
} from './hour-summary.ts'
import type { Zone } from '../time/local-time.ts'
import { HOUR_MS, Periods } from '../time/periods.ts'
import { readMinute, twoDigits } from '../time/wall-clock.ts'

/** The hours of a window of records that are asked for. */
export type HourQuery = {
  kind: 'theme' | 'raw'
  /** Station id, or the number of a sensor. */
  source: number
  /** First and last instant, both inclusive. */
  from: number
  to: number
  /** The hours are those of this zone's clock. */
  zone: Zone
  /** Only this item, and only the hours that have it; left out: all items. */
  item?: string
}

/** Yields records of a window as JSON text joined by commas. */
type ReadText = (
  query: Omit<HourQuery, 'zone' | 'item'> & { shape: 'flat' },
) => AsyncIterable<Uint8Array>

/** Hours summed up from the records themselves. */
export function hoursOfRecords(read: ReadText, query: HourQuery): AsyncGenerator<HourSummary> {
  return summarizeWindow(read, query, new Periods(HOUR_MS, query.zone))
}

/** Sums up the records of a window by periods, in ascending order; with `item` nothing but it. */
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

function only(key: string, { start, items }: PeriodSummary): PeriodSummary | undefined {
  const item = items.get(key)
  return item === undefined ? undefined : { start, items: new Map([[key, item]]) }
}

type TimedRecords = { records: ParsedRecord[]; times: Float64Array }

/**
 * The records of a window with the instants that their local times mean.
 *
 * A clock that is put back makes a time ambiguous, so what is read never goes past a change of
 * offset: within one offset every time is one instant.
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
    for await (const piece of read({ ...part, from: start, to: Math.min(to, end - 1) })) {
      const records = readRecords(piece)
      yield { records, times: Float64Array.from(records, (record) => clockOf(record) - offset) }
      // Reading waits for nothing outside, so others would wait for the whole of it.
      await setImmediate()
    }
    start = end
  }
}

/** The stretch of one offset in which the first record since `start` lies, or an earlier one. */
function spanOf(clock: number, start: number, zone: Zone) {
  const { offset } = zone.spanAtLocal(clock)
  return zone.spanAt(Math.max(clock - offset, start))
}

async function firstClock(pieces: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  for await (const piece of pieces) return clockOf(readRecords(piece)[0]!)
  return undefined
}

/** The wall clock of a record in milliseconds, as if it stood in UTC. */
const clockOf = ({ time }: ParsedRecord): number => readMinute(time) + twoDigits(time, 17) * 1000
