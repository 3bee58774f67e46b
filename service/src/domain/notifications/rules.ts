import type { QuietHours } from './quiet-hours.ts'
import type { Subject } from './subject.ts'
import type { NotificationEvent } from './notification-event.ts'

/** Who is told of what. A list that is left out narrows nothing. */
export type NotificationRule = Readonly<{
  name: string
  structures?: readonly number[]
  levels?: readonly number[]
  /** Categories: 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  types?: readonly number[]
  /** Left out: all but `repeated`. */
  events?: readonly NotificationEvent[]
  /** Names of channels. */
  to: readonly string[]
  quietHours?: readonly QuietHours[]
  /** While an alarm stays open it is told again after so many seconds. */
  reminderEvery?: number
}>

const USUAL_EVENTS: readonly NotificationEvent[] = ['new', 'raised', 'cleared', 'confirmed']

/** Whether a rule is about an alarm, whatever happens to it. */
export function isAbout(
  { structures, levels, types }: NotificationRule,
  { structure, level, category }: Subject,
): boolean {
  return (
    structures?.includes(structure) !== false &&
    levels?.includes(level) !== false &&
    types?.includes(category) !== false
  )
}

export const tellsOf = (
  { events = USUAL_EVENTS }: NotificationRule,
  event: NotificationEvent,
): boolean => events.includes(event)
