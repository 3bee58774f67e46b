import { toLine } from '../alarms/alarm-content.ts'
import type { NotificationEvent } from './notification-event.ts'
import { countOf } from '../../errors/show.ts'

/** The alarm of a notification, as it was after the transition. */
export type NotifiedAlarm = Readonly<{
  /** The same for all transitions of the alarm: receivers identify alarms by it. */
  id: number
  structure: Readonly<{ id: number; name: string }>
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

/** Returns the id of a notification of a transition, the same on every channel. */
export const notificationId = (alarm: number, step: number): string => `alarm-${alarm}-${step}`

const SUBJECT_MAXIMUM = 150

/** Returns a notification as one line. */
export function subjectOf(notification: Notification): string {
  return toLine(subject(notification), SUBJECT_MAXIMUM)
}

function subject(notification: Notification): string {
  if (notification.kind === 'test') return 'Plumbline: a test message'
  if (notification.kind === 'summary')
    return `Plumbline: ${countOf(notification.heldBack, 'more notification')} held back`
  const { structure, source, level } = notification.alarm
  const what = notification.kind === 'reminder' ? 'Still open' : EVENT_TEXTS[notification.event]
  return `${what}: ${structure.name}, ${source.name}, level ${level}`
}

/** Returns a notification as plain text. */
export function textOf(notification: Notification): string {
  if (notification.kind === 'test')
    return `This is a test of the channel "${notification.channel}". There is no alarm.\n`
  if (notification.kind === 'summary') {
    const { heldBack, seconds, channel } = notification
    return (
      `${countOf(heldBack, 'more notification')} ${heldBack === 1 ? 'was' : 'were'} due within ${seconds} seconds. ` +
      `The flood guard held ${heldBack === 1 ? 'it' : 'them'} back; ${heldBack === 1 ? 'it is' : 'they are'} not sent later.\n\n` +
      `See all of them with: plumbline notifications log --channel ${channel} --state suppressed\n`
    )
  }
  const { alarm } = notification
  const lines: [name: string, value: string][] = [
    ['Alarm', `${alarm.id} (${alarm.alarmCode})`],
    ['Structure', `${alarm.structure.name} (${alarm.structure.id})`],
    ['Source', `${alarm.source.name} (${alarm.source.id})`],
    ['Level', String(alarm.level)],
    ['Time', alarm.time],
    ['Since', alarm.startTime],
    ['Occurrences', String(alarm.count)],
    ['Message', notification.id],
  ]
  const facts = lines.map(([name, value]) => `${`${name}:`.padEnd(13)}${toLine(value, 300)}`)
  const content = alarm.content === '' ? [] : [toLine(alarm.content, 1000), '']
  return [`${subject(notification)}.`, '', ...content, ...facts, ''].join('\n')
}

const EVENT_TEXTS: Readonly<Record<NotificationEvent, string>> = {
  new: 'New alarm',
  repeated: 'Alarm again',
  escalated: 'Alarm escalated',
  cleared: 'Alarm cleared',
  confirmed: 'Alarm confirmed',
}
