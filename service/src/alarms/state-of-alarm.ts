import type { AlarmWatch, AlarmStep } from '../domain/alarms/alarm-life.ts'
import type { Zone } from '../domain/time/local-time.ts'
import type { StoredAlarm } from '../storage/storage.ts'

/** The watch of an alarm that was put into storage from elsewhere, without one. */
export function watchOf(
  { state, level, content, count, startTime, endTime }: StoredAlarm,
  zone: Zone,
): AlarmWatch {
  const end = zone.toInstant(endTime) ?? 0
  return {
    state: state as AlarmStep['alarmState'],
    level,
    content,
    count,
    startTime: zone.toInstant(startTime) ?? 0,
    endTime: end,
    items: [],
    violationAt: end,
    calmAt: null,
    calmRun: 0,
  }
}
