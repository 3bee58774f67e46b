import { toLine } from '../alarms/alarm-content.ts'
import type { NotificationEvent } from './notification-event.ts'

/** The alarm of a message, as it was at the step that is told of. */
export type NotifiedAlarm = Readonly<{
  /** Stable over repeats, escalations and restarts: receivers tell alarms apart by it. */
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
  /** The time of the step. */
  time: string
}>

/** What a channel carries. `id` is the same however often the message is tried. */
export type Message =
  | Readonly<{
      id: string
      kind: 'alarm' | 'reminder'
      event: NotificationEvent
      rules: readonly string[]
      alarm: NotifiedAlarm
    }>
  | Readonly<{ id: string; kind: 'summary'; channel: string; heldBack: number; seconds: number }>
  | Readonly<{ id: string; kind: 'test'; channel: string }>

/** The number of a message about a step, the same on every channel. */
export const stepMessageId = (alarm: number, step: number): string => `alarm-${alarm}-${step}`

const SUBJECT_MAXIMUM = 150

/** One line that says what has happened. */
export function subjectOf(message: Message): string {
  return toLine(subject(message), SUBJECT_MAXIMUM)
}

function subject(message: Message): string {
  if (message.kind === 'test') return 'Plumbline: a test message'
  if (message.kind === 'summary')
    return `Plumbline: ${count(message.heldBack, 'more message')} held back`
  const { structure, source, level } = message.alarm
  const what = message.kind === 'reminder' ? 'Still open' : HAPPENED[message.event]
  return `${what}: ${structure.name}, ${source.name}, level ${level}`
}

/** The message in plain words, for a person who reads nothing else. */
export function textOf(message: Message): string {
  if (message.kind === 'test')
    return `This is a test of the channel "${message.channel}". There is no alarm.\n`
  if (message.kind === 'summary') {
    const { heldBack, seconds, channel } = message
    return (
      `${count(heldBack, 'more message')} would have come here within ${seconds} seconds. ` +
      `${heldBack === 1 ? 'It was' : 'They were'} held back so that nobody is flooded, and will not come any more.\n\n` +
      `See all of them with: plumbline notifications log --channel ${channel} --state suppressed\n`
    )
  }
  const { alarm } = message
  const lines = [
    ['Alarm', `${alarm.id} (${alarm.alarmCode})`],
    ['Structure', `${alarm.structure.name} (${alarm.structure.id})`],
    ['Source', `${alarm.source.name} (${alarm.source.id})`],
    ['Level', String(alarm.level)],
    ['Time', alarm.time],
    ['Since', alarm.startTime],
    ['Occurrences', String(alarm.count)],
    ['Message', message.id],
  ]
  const facts = lines.map(([name, value]) => `${`${name}:`.padEnd(13)}${toLine(value!, 300)}`)
  const content = alarm.content === '' ? [] : [toLine(alarm.content, 1000), '']
  return [`${subject(message)}.`, '', ...content, ...facts, ''].join('\n')
}

const HAPPENED: Readonly<Record<NotificationEvent, string>> = {
  new: 'New alarm',
  repeated: 'Alarm again',
  raised: 'Alarm raised',
  cleared: 'Alarm cleared',
  confirmed: 'Alarm confirmed',
}

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`
