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

/** What lists are made of: all but how an alarm is told of. */
export const toListed = (row: ListedRow) => ({
  id: row.id,
  structure: row.structure_id,
  source: { id: row.source_id, name: row.source_name },
  category: row.category,
  level: row.level,
  content: row.content,
  count: row.count,
  state: row.state,
  startTime: row.start_time,
  endTime: row.end_time,
})

export type ListedRow = Omit<AlarmRow, 'source_type' | 'type_code' | 'version'>

export const toAlarm = (row: Omit<AlarmRow, 'version'>): StoredAlarm => ({
  ...toListed(row),
  sourceType: row.source_type,
  alarmTypeCode: row.type_code,
})
