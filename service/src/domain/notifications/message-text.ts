import { toLine } from '../alarms/alarm-content.ts'
import { describeAlarmType } from '../alarms/alarm-types.ts'
import { countOf } from '../../errors/show.ts'
import type { NotificationEvent } from './notification-event.ts'
import type { Notification, NotifiedAlarm } from './notification.ts'

type Summary = Extract<Notification, { kind: 'summary' }>

const SUBJECT_MAXIMUM = 150

/** Returns a notification as one line. */
export function subjectOf(notification: Notification): string {
  return toLine(subject(notification), SUBJECT_MAXIMUM)
}

function subject(notification: Notification): string {
  if (notification.kind === 'test') return 'Plumbline: a test message'
  if (notification.kind === 'summary')
    return `Plumbline: ${countOf(notification.heldBack, 'more notification')} held back`
  const { structure, source, alarmTypeCode, level } = notification.alarm
  const what = notification.kind === 'reminder' ? 'Still open' : EVENT_TEXTS[notification.event]
  const type = describeAlarmType(alarmTypeCode)
  return `${what}: ${structure.name}, ${source.name}, ${type}, level ${level}`
}

const EVENT_TEXTS: Readonly<Record<NotificationEvent, string>> = {
  new: 'New alarm',
  repeated: 'Alarm again',
  escalated: 'Alarm escalated',
  cleared: 'Alarm cleared',
  confirmed: 'Alarm confirmed',
}

/** Returns a notification as plain text; with the address of the service it has a link. */
export function textOf(notification: Notification, publicUrl = ''): string {
  if (notification.kind === 'test')
    return `This is a test of the channel "${notification.channel}". There is no alarm.\n`
  if (notification.kind === 'summary') return summaryText(notification, publicUrl)
  const { id, alarm } = notification
  const content = toLine(alarm.text ?? alarm.content, 1000)
  const facts = factsOf(alarm, id, publicUrl).map(
    ([name, value]) => `${`${name}:`.padEnd(13)}${toLine(value, 300)}`,
  )
  const lead = content === '' ? [] : [content, '']
  return [`${subject(notification)}.`, '', ...lead, ...facts, ''].join('\n')
}

function factsOf(
  alarm: NotifiedAlarm,
  message: string,
  publicUrl: string,
): [name: string, value: string][] {
  const { timeZone } = alarm.structure
  const local = (time: string): string => (timeZone === undefined ? time : `${time} (${timeZone})`)
  return [
    ['Alarm', `${alarm.id} (${alarm.alarmCode})`],
    ['Type', describeAlarmType(alarm.alarmTypeCode)],
    ['Structure', `${alarm.structure.name} (${alarm.structure.id})`],
    ['Source', `${alarm.source.name} (${alarm.source.id})`],
    ['Level', String(alarm.level)],
    ['Time', local(alarm.time)],
    ['Since', local(alarm.startTime)],
    ['Occurrences', String(alarm.count)],
    ['Message', message],
    ...(publicUrl === '' ? [] : [['Link', linkTo(publicUrl, alarm.id)] satisfies [string, string]]),
  ]
}

function summaryText({ heldBack, seconds, channel }: Summary, publicUrl: string): string {
  const [was, them, they] = heldBack === 1 ? ['was', 'it', 'it is'] : ['were', 'them', 'they are']
  return [
    `${countOf(heldBack, 'more notification')} ${was} due within ${seconds} seconds. The flood guard held ${them} back; ${they} not sent later.`,
    '',
    `See all of them with: plumbline notifications log --channel ${channel} --state suppressed`,
    ...(publicUrl === '' ? [] : [`Link: ${linkTo(publicUrl)}`]),
    '',
  ].join('\n')
}

/** The address at which people find the service, and the alarm that they come for. */
function linkTo(publicUrl: string, alarm?: number): string {
  const link = new URL(publicUrl)
  if (alarm !== undefined) link.searchParams.set('alarm', String(alarm))
  return link.href
}
