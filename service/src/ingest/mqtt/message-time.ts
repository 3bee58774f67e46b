import type { TopicSettings } from '../../config/mqtt-settings.ts'

export type TimeUnit = NonNullable<TopicSettings['timeUnit']>

/** Milliseconds of a unit. */
const MILLISECONDS: Readonly<Record<TimeUnit, number>> = {
  seconds: 1000,
  milliseconds: 1,
  microseconds: 1e-3,
  nanoseconds: 1e-6,
}

/** What is read as a time: a number, also one sent as text, in milliseconds; else as sent. */
export function readMessageTime(value: unknown, unit: TimeUnit): unknown {
  const number =
    typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
  if (typeof number !== 'number') return value
  return Math.round(number * MILLISECONDS[unit])
}
