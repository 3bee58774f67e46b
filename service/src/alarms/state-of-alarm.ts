import type { AlarmState } from '../domain/alarms/alarm-state.ts'
import { toStateCode } from '../domain/alarms/state-code.ts'
import type { Zone } from '../domain/time/local-time.ts'
import type { StoredAlarm } from '../storage/storage.ts'

/** The state of a stored alarm that was written without one. */
export function stateOfAlarm(
  { state, level, content, count, startTime, endTime }: StoredAlarm,
  zone: Zone,
): AlarmState {
  const end = zone.toInstant(endTime) ?? 0
  return {
    stateCode: toStateCode(state),
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
