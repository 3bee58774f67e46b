import { parseInstant, type Zone } from '../domain/local-time.ts'
import { describeDistant, timelinessOf } from '../domain/timeliness.ts'
import type { Rejection } from './report.ts'

const EXPECTED =
  'a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds'

/** Reads the time of a record; a time beyond tomorrow is a wrong clock, not a measurement. */
export function readTime(value: unknown, zone: Zone, now: number): number | Rejection {
  const instant = parseInstant(value, zone)
  if (instant === undefined) return { rejection: `time must be ${EXPECTED}` }
  // Early records are stored, so the tolerance is of no account here.
  if (timelinessOf(instant, now, 0) === 'distant')
    return { rejection: describeDistant(instant, now, zone) }
  return instant
}
