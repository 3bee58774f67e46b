import type { AlarmStateCode } from '../alarms/lifecycle-table.ts'

/** What happened to an alarm, by the state that its step has. */
export const NOTIFICATION_EVENTS = ['new', 'repeated', 'raised', 'cleared', 'confirmed'] as const

export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number]

export const eventOf = (state: AlarmStateCode): NotificationEvent => NOTIFICATION_EVENTS[state]
