import type { AlarmDetail } from '@plumbline/contract'
import { openSqlite } from '../../service/src/storage/sqlite/open.ts'
import type { AlarmChange, StoredAlarm } from '../../service/src/storage/storage.ts'
import type { Finding } from './scenario.ts'
import { FIRST_ALARM, localTime, STRUCTURES } from './stored-alarms.ts'

const ALARMS = 6_000
const IN_ONE_WRITE = 100
const WRITER = 1

/** What it costs to raise alarms, to count on and to end them; nothing is synced to the disk. */
export async function measureAlarmWrites(folder: string, held: string): Promise<Finding[]> {
  await using storage = await openSqlite(folder, { synchronous: 'OFF' })
  const findings: Finding[] = []
  for (const [version, { what, state, count }] of STEPS.entries()) {
    const started = process.cpuUsage()
    for (let first = 0; first < ALARMS; first += IN_ONE_WRITE) {
      const changes = Array.from({ length: IN_ONE_WRITE }, (_, next) =>
        changeOf(first + next, state, count),
      )
      const known = { version, writer: version === 0 ? 0 : WRITER }
      const at = new Map(changes.map(({ alarm }) => [alarm.source.id, known]))
      await storage.alarms.write({ at, bounds: [], changes, writer: WRITER, now: 0 })
    }
    const { user, system } = process.cpuUsage(started)
    findings.push({ what: `${what}, ${held}: CPU`, value: (user + system) / ALARMS, unit: 'µs' })
  }
  return findings
}

const STEPS = [
  { what: 'an alarm raised', state: 0, count: 1 },
  { what: 'an alarm counted on', state: 1, count: 2 },
  { what: 'an alarm ended', state: 3, count: 2 },
] as const

function changeOf(number: number, state: 0 | 1 | 3, count: number): AlarmChange {
  const content = `应变: ${(number * 7.37 + count).toFixed(3)}µε, level 2 threshold (80,+)`
  const alarm: Omit<StoredAlarm, 'id'> = {
    structure: 1 + (number % STRUCTURES.length),
    source: { id: `written ${number}`, name: `Station W-${number}` },
    sourceType: 2,
    category: 1,
    alarmTypeCode: '3007',
    level: 2,
    content,
    count,
    state,
    startTime: localTime(FIRST_ALARM + number * 1000),
    endTime: localTime(FIRST_ALARM + (number + state) * 1000),
  }
  const detail: AlarmDetail = {
    sponsor: 'plumbline',
    alarmCode: '30070002',
    alarmState: state,
    currentLevel: 2,
    content,
    time: alarm.endTime,
  }
  const remembered = { ...REMEMBERED, content, count, stateCode: state }
  return { alarm, state: remembered, isNew: state === 0, detail, isLate: false }
}

const REMEMBERED = {
  level: 2,
  startTime: 0,
  endTime: 0,
  items: ['strain'],
  violationAt: 0,
  normalAt: null,
  normalCount: 0,
}
