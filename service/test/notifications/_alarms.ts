import type { AlarmDetail } from '@plumbline/contract'
import type { Storage, StoredAlarm } from '../../src/storage/storage.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

/** An alarm of station 1001 of the site of the tests. */
export const alarm = (id: number, parts: Partial<StoredAlarm> = {}): StoredAlarm => ({
  id,
  structure: 1,
  source: { id: '1001', name: '应变-01' },
  sourceType: 2,
  category: 1,
  alarmTypeCode: `30${id}`,
  level: 2,
  content: '应变: 301µε, level 2 threshold [200,300]',
  count: 1,
  state: 0,
  startTime: '2026-03-01 08:00:00',
  endTime: '2026-03-01 08:00:00',
  ...parts,
})

export const step = (parts: Partial<AlarmDetail> = {}): AlarmDetail => ({
  sponsor: 'plumbline',
  alarmCode: '30070002',
  alarmState: 0,
  currentLevel: 2,
  content: '应变: 301µε, level 2 threshold [200,300]',
  time: '2026-03-01 08:00:00',
  ...parts,
})

/** Stores an alarm with its transitions, each with an entry of the outbox. */
export async function addAlarm(
  storage: Pick<Storage, 'alarms'>,
  stored: StoredAlarm,
  details: readonly AlarmDetail[] = [step({ alarmState: stored.state as 0 })],
  entry: { isLate?: boolean; now?: number } = {},
): Promise<void> {
  await storeAlarms(storage, [{ ...stored, details }], entry)
}
