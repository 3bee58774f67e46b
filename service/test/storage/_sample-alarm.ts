import type { StoredAlarm } from '../../src/storage/storage.ts'

/** A new alarm of level 2 at a station, but for some parts. */
export const sampleAlarm = (id: number, parts: Partial<StoredAlarm> = {}): StoredAlarm => ({
  id,
  structure: 1,
  source: { id: `source ${id}`, name: `Point ${id}` },
  sourceType: 2,
  category: 1,
  alarmTypeCode: '3007',
  level: 2,
  content: 'content',
  count: 1,
  state: 0,
  startTime: '2026-01-01 00:00:00',
  endTime: '2026-01-01 00:00:00',
  ...parts,
})
