import type { AlarmState } from '../domain/alarms/alarm-lifecycle.ts'
import type { AlarmStateCode } from '../domain/alarms/lifecycle-table.ts'
import type { Zone } from '../domain/time/local-time.ts'
import type { StoredAlarm } from '../storage/storage.ts'

/** The state of an alarm that was put into storage from elsewhere, without one. */
export function stateOfAlarm(
  { state, level, content, count, startTime, endTime }: StoredAlarm,
  zone: Zone,
): AlarmState {
  const end = zone.toInstant(endTime) ?? 0
  return {
    stateCode: state as AlarmStateCode,
    level,
    content,
    count,
    startTime: zone.toInstant(startTime) ?? 0,
    endTime: end,
    items: [],
    violationAt: end,
    normalAt: null,
    normalCount: 0,
  }
}
