import type { AlarmStateCode } from '../alarms/lifecycle-table.ts'

/** The transitions of an alarm, by state code. */
export const NOTIFICATION_EVENTS = ['new', 'repeated', 'escalated', 'cleared', 'confirmed'] as const

export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number]

export const eventOf = (stateCode: AlarmStateCode): NotificationEvent =>
  NOTIFICATION_EVENTS[stateCode]
