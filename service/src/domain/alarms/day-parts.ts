import type { ThresholdSlot } from '../site/site-entry.ts'
import { DAY_SECONDS, secondOfClock } from '../time/wall-clock.ts'
import type { Hysteresis } from './alarm-settings.ts'

/** The limits of one slot or of the whole day. */
export type LimitSource = ThresholdSlot & { hysteresis?: Hysteresis | undefined }

/** A part of the day from its first second to the next part, and the limits that apply in it. */
type DayPart = { start: number; sources: LimitSource[] }

/** Divides the day where a slot begins or ends; a slot includes its start and excludes its end. */
export function divideDay(sources: readonly LimitSource[]): DayPart[] {
  const starts = new Set([0])
  for (const { startTime, endTime } of sources) {
    if (startTime !== null) starts.add(secondOfClock(startTime))
    if (endTime !== null) starts.add(secondOfClock(endTime))
  }
  return Array.from(starts)
    .toSorted((a, b) => a - b)
    .map((start) => ({ start, sources: sources.filter((source) => appliesAt(source, start)) }))
}

function appliesAt({ startTime, endTime }: LimitSource, second: number): boolean {
  const from = startTime === null ? 0 : secondOfClock(startTime)
  const to = endTime === null ? DAY_SECONDS : secondOfClock(endTime)
  return from < to ? second >= from && second < to : second >= from || second < to
}
