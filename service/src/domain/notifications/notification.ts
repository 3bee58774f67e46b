import type { NotificationEvent } from './notification-event.ts'

/** The alarm of a notification, as it was after the transition. */
export type NotifiedAlarm = Readonly<{
  /** The same for all transitions of the alarm: receivers identify alarms by it. */
  id: number
  /** `timeZone` is that of its times; messages of earlier versions have none. */
  structure: Readonly<{ id: number; name: string; timeZone?: string }>
  source: Readonly<{ id: string; name: string }>
  /** 0 DTU, 1 sensor, 2 station. */
  sourceType: number
  /** 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  type: number
  alarmTypeCode: string
  alarmCode: string
  level: number
  state: number
  count: number
  content: string
  /** The content for people, with a blank before units; messages of earlier versions have none. */
  text?: string
  /** Local date-time strings of the structure's zone. */
  startTime: string
  endTime: string
  /** The time of the transition. */
  time: string
}>

/** A notification of a channel. `id` is the same for every attempt. */
export type Notification =
  | Readonly<{
      id: string
      kind: 'alarm' | 'reminder'
      event: NotificationEvent
      rules: readonly string[]
      alarm: NotifiedAlarm
    }>
  | Readonly<{ id: string; kind: 'summary'; channel: string; heldBack: number; seconds: number }>
  | Readonly<{ id: string; kind: 'test'; channel: string }>

/**
 * Returns the id of a notification of a transition, the same on every channel. A transition after a restore
 * may take the place of one that was lost, whose id a receiver has seen.
 */
export function notificationId(
  { alarm, step, createdAt }: { alarm: number; step: number; createdAt: number },
  restoredAt = Infinity,
): string {
  const id = `alarm-${alarm}-${step}`
  return createdAt < restoredAt ? id : `restored-${restoredAt}-${id}`
}
