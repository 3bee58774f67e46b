import { alarmCode } from '../domain/alarms/alarm-types.ts'
import type { AlarmStateCode } from '../domain/alarms/lifecycle-table.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { zone } from '../domain/time/local-time.ts'
import type { NotifiedAlarm } from '../domain/notifications/notification.ts'
import type { AlarmFacts } from '../domain/notifications/alarm-facts.ts'
import type { StoredAlarm, OutboxEntry } from '../storage/storage.ts'

const OF_STATION = 2
const OF_SENSOR = 1

export type NotifiedStep = NonNullable<OutboxEntry['transition']>['detail']

/** What rules ask of an alarm; a structure that is gone from the site has the clock of UTC. */
export function alarmFacts(
  { structure, source, sourceType, category }: StoredAlarm,
  level: number,
  { structures, sensors }: Catalogue,
): AlarmFacts {
  const feeds = sensors.get(source.id)?.feeds.map(({ entry }) => entry.id) ?? []
  return {
    structure,
    stations:
      sourceType === OF_STATION ? [Number(source.id)] : sourceType === OF_SENSOR ? feeds : [],
    level,
    category,
    zone: structures.get(structure)?.zone ?? zone('UTC'),
  }
}

/** The alarm as a message has it, at one of its steps. */
export function notifiedAlarm(
  { structure, category, ...alarm }: StoredAlarm,
  { alarmState, currentLevel, ...step }: NotifiedStep,
  { structures }: Catalogue,
): NotifiedAlarm {
  return {
    id: alarm.id,
    structure: { id: structure, name: structures.get(structure)?.entry.name ?? '' },
    source: alarm.source,
    sourceType: alarm.sourceType,
    type: category,
    alarmTypeCode: alarm.alarmTypeCode,
    alarmCode: step.alarmCode,
    level: currentLevel,
    state: alarmState,
    count: alarm.count,
    content: step.content,
    startTime: alarm.startTime,
    endTime: alarm.endTime,
    time: step.time,
  }
}

/** The alarm as it stands, as if that were a step. */
export const currentStep = ({
  alarmTypeCode,
  level,
  state,
  content,
  endTime,
}: StoredAlarm): NotifiedStep => ({
  alarmCode: alarmCode(alarmTypeCode, level),
  alarmState: state as AlarmStateCode,
  currentLevel: level,
  content,
  time: endTime,
})
