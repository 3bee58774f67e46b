import { show } from '../../errors/show.ts'
import type { Zone } from './local-time.ts'
import { hasOffset } from './offset-text.ts'
import { DAY_MS } from './wall-clock.ts'

/**
 * Whether a text that was parsed to an instant is a local time that its zone skips: clocks are set
 * forward over it.
 */
export function isSkipped(text: string, instant: number, zone: Zone): boolean {
  // No zone has skipped more than a day.
  if (instant - zone.spanAt(instant).start >= DAY_MS || hasOffset(text)) return false
  const local = zone.toLocal(instant)
  return local.slice(0, 10) !== text.slice(0, 10) || local.slice(11, 16) !== text.slice(11, 16)
}

/** Says that a local time does not exist. */
export const describeSkipped = (text: string, zoneName: string): string =>
  `time ${show(text)} does not exist in ${zoneName}`
