import { parseInstant, type Zone } from '../../domain/time/local-time.ts'
import { describeSkipped, isSkipped } from '../../domain/time/skipped-time.ts'
import { describeDistant, describePast, timelinessOf } from '../../domain/time/timeliness.ts'
import type { EarlyKind } from '../../storage/storage.ts'
import type { BehindSources } from './behind-sources.ts'
import type { Rejection } from './report.ts'

const EXPECTED =
  'a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds'

/** When a record arrives, and the earliest time it may have; without `behind` any past time. */
export type Arrival = { now: number; behind?: BehindSources | undefined }

/** The source of a record, and the zone of its local times. */
type RecordSource = { kind: EarlyKind; source: number | string; zone: Zone }

/**
 * Reads the time of a record. A time beyond tomorrow or before the earliest one is rejected, and a
 * local time that clocks are set over: it would replace the record of another time.
 */
export function readTime(
  value: unknown,
  { kind, source, zone }: RecordSource,
  { now, behind }: Arrival,
): number | Rejection {
  const instant = parseInstant(value, zone)
  if (instant === undefined) return { rejection: `time must be ${EXPECTED}` }
  if (typeof value === 'string' && isSkipped(value, instant, zone))
    return { rejection: `${describeSkipped(value, zone.name)}; send it with its offset` }
  // Early records are stored, so the tolerance does not matter here.
  if (timelinessOf(instant, now, 0) === 'distant')
    return { rejection: describeDistant(instant, now, zone) }
  if (behind === undefined || instant >= behind.earliest) return instant
  behind.note(kind, source, instant, now)
  return { rejection: describePast(instant, { now, earliest: behind.earliest, zone }) }
}
