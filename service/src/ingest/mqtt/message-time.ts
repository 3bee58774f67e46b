import type { TopicSettings } from '../../config/mqtt-settings.ts'

export type TimeUnit = NonNullable<TopicSettings['timeUnit']>

/** Milliseconds of a unit. */
const MILLISECONDS: Readonly<Record<TimeUnit, number>> = {
  seconds: 1000,
  milliseconds: 1,
  microseconds: 1e-3,
  nanoseconds: 1e-6,
}

/** A number in the unit, also one sent as text, as milliseconds; any other value unchanged. */
export function readMessageTime(value: unknown, unit: TimeUnit): unknown {
  const number =
    typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
  if (typeof number !== 'number') return value
  return Math.round(number * MILLISECONDS[unit])
}
