import type { AlarmType } from '../domain/alarms/alarm-types.ts'
import type { Step } from '../domain/alarms/alarm-life.ts'
import type { Zone } from '../domain/time/local-time.ts'
import type { AlarmChange } from '../storage/storage.ts'

/** What an alarm is about, and where: the parts of it that no step changes. */
export type AlarmSource = {
  structure: number
  zone: Zone
  source: { id: string; name: string }
  type: AlarmType
}

/** A step as storage keeps it; undefined when nothing has changed. */
export function changeOf(
  { watch, detail, isNew, isLate }: Step,
  before: Step['watch'],
  { structure, zone, source, type }: AlarmSource,
): AlarmChange | undefined {
  if (watch === null || watch === before) return undefined
  const { level, content, count, state, startTime, endTime } = watch
  return {
    alarm: {
      structure,
      source,
      sourceType: type.sourceType,
      category: type.category,
      alarmTypeCode: type.code,
      level,
      content,
      count,
      state,
      startTime: zone.toLocal(startTime),
      endTime: zone.toLocal(endTime),
    },
    watch,
    isNew,
    detail: detail === null ? null : { ...detail, time: zone.toLocal(detail.time) },
    isLate,
  }
}
