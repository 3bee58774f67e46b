import type { ThresholdSlot } from '../site/site-entry.ts'
import { DAY_SECONDS, secondOfClock } from '../time/wall-clock.ts'
import type { Hysteresis } from './alarm-settings.ts'

/** The limits of one slot, or of the whole day. */
export type LimitSource = ThresholdSlot & { hysteresis?: Hysteresis | undefined }

/** A part of the day, up to the next one, and the limits that hold in it. */
export type DayPiece = { start: number; sources: LimitSource[] }

/** The day cut wherever a slot begins or ends; a slot has its start and not its end. */
export function cutDay(sources: readonly LimitSource[]): DayPiece[] {
  const starts = new Set([0])
  for (const { startTime, endTime } of sources) {
    if (startTime !== null) starts.add(secondOfClock(startTime))
    if (endTime !== null) starts.add(secondOfClock(endTime))
  }
  return Array.from(starts)
    .toSorted((a, b) => a - b)
    .map((start) => ({ start, sources: sources.filter((source) => holdsAt(source, start)) }))
}

function holdsAt({ startTime, endTime }: LimitSource, second: number): boolean {
  const from = startTime === null ? 0 : secondOfClock(startTime)
  const to = endTime === null ? DAY_SECONDS : secondOfClock(endTime)
  return from < to ? second >= from && second < to : second >= from || second < to
}
