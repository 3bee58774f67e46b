import type { Alarm } from '@plumbline/contract'
import type { StoredAlarm } from '../../storage/storage.ts'

const SOURCE_TYPES = ['DTU', 'sensor', 'station'] as const

/** An alarm as the interface serves it. */
export const toAlarm = ({ id, source, sourceType, ...alarm }: StoredAlarm): Alarm => ({
  id,
  source,
  sourceType: { id: sourceType, name: SOURCE_TYPES[sourceType] ?? '' },
  alarmTypeCode: alarm.alarmTypeCode,
  level: alarm.level,
  content: alarm.content,
  count: alarm.count,
  state: alarm.state,
  startTime: alarm.startTime,
  endTime: alarm.endTime,
})
