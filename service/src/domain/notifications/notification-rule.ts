import type { QuietHours } from './quiet-hours.ts'
import type { AlarmFacts } from './alarm-facts.ts'
import type { NotificationEvent } from './notification-event.ts'

/** Which events of which alarms are sent to which channels. A missing list does not restrict. */
export type NotificationRule = Readonly<{
  name: string
  structures?: readonly number[]
  levels?: readonly number[]
  /** Categories: 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  types?: readonly number[]
  /** By default all except `repeated`. */
  events?: readonly NotificationEvent[]
  /** Names of notification channels. */
  to: readonly string[]
  quietHours?: readonly QuietHours[]
  /** Seconds after which a reminder of an open alarm is sent. */
  reminderEvery?: number
}>

const DEFAULT_EVENTS: readonly NotificationEvent[] = ['new', 'escalated', 'cleared', 'confirmed']

/** Whether a rule applies to an alarm, at any event. */
export function coversAlarm(
  { structures, levels, types }: NotificationRule,
  { structure, level, category }: AlarmFacts,
): boolean {
  return (
    structures?.includes(structure) !== false &&
    levels?.includes(level) !== false &&
    types?.includes(category) !== false
  )
}

/** Whether a rule sends an event. */
export const includesEvent = (
  { events = DEFAULT_EVENTS }: NotificationRule,
  event: NotificationEvent,
): boolean => events.includes(event)
