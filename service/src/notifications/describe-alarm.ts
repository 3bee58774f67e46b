import { alarmCode } from '../domain/alarms/alarm-types.ts'
import { readableContent } from '../domain/alarms/readable-content.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { zone } from '../domain/time/local-time.ts'
import type { NotifiedAlarm } from '../domain/notifications/notification.ts'
import type { AlarmFacts } from '../domain/notifications/alarm-facts.ts'
import type { StoredAlarm, OutboxEntry } from '../storage/storage.ts'

const OF_STATION = 2
const OF_SENSOR = 1

type NotifiedTransition = NonNullable<OutboxEntry['transition']>['detail']

/** The facts of an alarm for notification rules; a structure that is no longer declared has UTC. */
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

/** The camera that shows the station of an alarm; none for alarms of devices. */
export function camerasOf(
  { sourceType, source }: StoredAlarm,
  { stations }: Pick<Catalogue, 'stations'>,
): number[] {
  if (sourceType !== OF_STATION) return []
  const { camera } = stations.get(Number(source.id))?.entry ?? {}
  return camera === undefined ? [] : [camera]
}

/** The alarm of a message, at one of its transitions. */
export function notifiedAlarm(
  { structure, category, ...alarm }: StoredAlarm,
  { alarmState, currentLevel, ...transition }: NotifiedTransition,
  { structures, stations }: Catalogue,
): NotifiedAlarm {
  const { entry, zone: zoneOfTimes = zone('UTC') } = structures.get(structure) ?? {}
  const items =
    alarm.sourceType === OF_STATION ? stations.get(Number(alarm.source.id))?.factor.items : []
  const units = items?.map(({ unit }) => unit) ?? []
  return {
    id: alarm.id,
    structure: { id: structure, name: entry?.name ?? '', timeZone: zoneOfTimes.name },
    source: alarm.source,
    sourceType: alarm.sourceType,
    type: category,
    alarmTypeCode: alarm.alarmTypeCode,
    alarmCode: transition.alarmCode,
    level: currentLevel,
    state: alarmState,
    count: alarm.count,
    content: transition.content,
    text: readableContent(transition.content, units),
    startTime: alarm.startTime,
    endTime: alarm.endTime,
    time: transition.time,
  }
}

/** The current state of an alarm, in the form of a transition. */
export const currentTransition = ({
  alarmTypeCode,
  level,
  state,
  content,
  endTime,
}: StoredAlarm): NotifiedTransition => ({
  alarmCode: alarmCode(alarmTypeCode, level),
  alarmState: state,
  currentLevel: level,
  content,
  time: endTime,
})
