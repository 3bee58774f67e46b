import type { Tables } from './tables.ts'
import type { StoredAlarm } from '../storage.ts'

export type AlarmRow = Omit<Tables['alarms'], 'id'> & { id: number }

export const toRow = (alarm: StoredAlarm): Omit<AlarmRow, 'version'> => ({
  id: alarm.id,
  structure_id: alarm.structure,
  source_id: alarm.source.id,
  source_name: alarm.source.name,
  source_type: alarm.sourceType,
  category: alarm.category,
  type_code: alarm.alarmTypeCode,
  level: alarm.level,
  content: alarm.content,
  count: alarm.count,
  state: alarm.state,
  start_time: alarm.startTime,
  end_time: alarm.endTime,
})

export const toAlarm = (row: Omit<AlarmRow, 'version'>): StoredAlarm => ({
  id: row.id,
  structure: row.structure_id,
  source: { id: row.source_id, name: row.source_name },
  sourceType: row.source_type,
  category: row.category,
  alarmTypeCode: row.type_code,
  level: row.level,
  content: row.content,
  count: row.count,
  state: row.state,
  startTime: row.start_time,
  endTime: row.end_time,
})
