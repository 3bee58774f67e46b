import type { AlarmDetail } from '@plumbline/contract'
import type { StoredAlarm } from '../../src/storage/storage.ts'

type Alarm = StoredAlarm & { details: AlarmDetail[] }

export const alarm = (id: number, part: Partial<Alarm>): Alarm => ({
  id,
  structure: 1,
  source: { id: String(1000 + id), name: `S-${id}` },
  sourceType: 2,
  category: 1,
  alarmTypeCode: '3007',
  level: 1,
  content: 'content',
  count: 1,
  state: 0,
  startTime: '2026-03-01 08:00:00',
  endTime: '2026-03-01 08:00:00',
  details: [],
  ...part,
})

export const STEPS: AlarmDetail[] = [
  ['plumbline', 0, 2, '2026-03-01 08:00:00'],
  ['plumbline', 2, 1, '2026-03-01 09:00:00'],
  ['1', 4, 1, '2026-03-01 10:00:00'],
].map(([sponsor, alarmState, currentLevel, time]) => ({
  sponsor: String(sponsor),
  alarmCode: '30070001',
  alarmState: Number(alarmState),
  currentLevel: Number(currentLevel),
  content: '应变: 301µε',
  time: String(time),
}))

export const ALARMS = [
  alarm(1, { level: 3, count: 5, content: 'Strain 50% over', details: STEPS }),
  alarm(2, { level: 1, count: 9, structure: 2, state: 1, endTime: '2026-03-02 08:00:00' }),
  alarm(3, { level: 2, count: 5, state: 2, category: 2, sourceType: 0, content: 'DTU 断线' }),
  alarm(4, { level: 2, state: 3, category: 3, sourceType: 1, startTime: '2026-02-01 00:00:00' }),
  alarm(5, {
    level: 1,
    state: 4,
    structure: 2,
    category: 4,
    startTime: '2026-02-28 00:00:00',
    source: { id: 'gateway', name: 'Gateway ÄÖ_1' },
  }),
]
