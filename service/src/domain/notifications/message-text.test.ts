import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DATA_ALARMS, describeAlarmType, DEVICE_ALARMS } from '../alarms/alarm-types.ts'
import { subjectOf, textOf } from './message-text.ts'
import type { Notification, NotifiedAlarm } from './notification.ts'

const ALARM: NotifiedAlarm = {
  id: 17,
  structure: { id: 1, name: '长江大桥', timeZone: 'Asia/Shanghai' },
  source: { id: '1001', name: '应变-01' },
  sourceType: 2,
  type: 1,
  alarmTypeCode: '3007',
  alarmCode: '30070001',
  level: 1,
  state: 0,
  count: 1,
  content: '应变: 301µε, level 1 threshold (300,+)',
  text: '应变: 301 µε, level 1 threshold (300,+)',
  startTime: '2026-03-01 08:00:00',
  endTime: '2026-03-01 08:00:00',
  time: '2026-03-01 08:00:00',
}

const notificationOf = (parts: Partial<Notification> = {}): Notification =>
  ({
    id: 'alarm-17-0',
    kind: 'alarm',
    event: 'new',
    rules: ['office'],
    alarm: ALARM,
    ...parts,
  }) as Notification

const linkIn = (text: string) => /^Link: +(\S+)$/m.exec(text)?.[1]

describe('a message', () => {
  test('says in one line what happened where, at which level', () => {
    assert.equal(
      subjectOf(notificationOf()),
      'New alarm: 长江大桥, 应变-01, value over threshold, level 1',
    )
    assert.equal(
      subjectOf(notificationOf({ event: 'cleared' })),
      'Alarm cleared: 长江大桥, 应变-01, value over threshold, level 1',
    )
    assert.equal(
      subjectOf(notificationOf({ kind: 'reminder', event: 'escalated' })),
      'Still open: 长江大桥, 应变-01, value over threshold, level 1',
    )
  })

  test('says everything that a person needs in plain words', () => {
    assert.equal(
      textOf(notificationOf()),
      `New alarm: 长江大桥, 应变-01, value over threshold, level 1.

应变: 301 µε, level 1 threshold (300,+)

Alarm:       17 (30070001)
Type:        value over threshold
Structure:   长江大桥 (1)
Source:      应变-01 (1001)
Level:       1
Time:        2026-03-01 08:00:00 (Asia/Shanghai)
Since:       2026-03-01 08:00:00 (Asia/Shanghai)
Occurrences: 1
Message:     alarm-17-0
`,
    )
  })

  test('says that an alarm escalated where its level became more severe, and only there', () => {
    const events = ['new', 'repeated', 'escalated', 'cleared', 'confirmed'] as const

    assert.deepEqual(
      events.map((event) => subjectOf(notificationOf({ event })).split(':')[0]),
      ['New alarm', 'Alarm again', 'Alarm escalated', 'Alarm cleared', 'Alarm confirmed'],
    )
  })

  test('of an earlier version, without time zone and text, is written as it was', () => {
    const { text: _, structure, ...alarm } = ALARM
    const { timeZone: __, ...place } = structure
    const text = textOf(notificationOf({ alarm: { ...alarm, structure: place } } as object))

    assert.match(text, /^应变: 301µε, level 1 threshold \(300,\+\)$/m)
    assert.match(text, /^Time: +2026-03-01 08:00:00$/m)
  })

  test('has a link to its alarm where the address of the service is set', () => {
    const summary = { id: 's', kind: 'summary', channel: 'c', seconds: 1, heldBack: 2 } as const

    assert.equal(
      linkIn(textOf(notificationOf(), 'https://shm.example/site')),
      'https://shm.example/site?alarm=17',
    )
    assert.equal(linkIn(textOf(summary, 'https://shm.example')), 'https://shm.example/')
    assert.equal(linkIn(textOf(notificationOf())), undefined)
  })

  test('names each type of alarm in words, and an unknown one by its code', () => {
    const types = [
      ...Object.values(DATA_ALARMS),
      ...Object.values(DEVICE_ALARMS).flatMap((causes) => Object.values(causes)),
    ]
    const words = types.map(({ code }) => describeAlarmType(code))

    assert.equal(new Set(words).size, types.length)
    for (const one of words) assert.match(one, /^[A-Za-z ]+$/)
    assert.equal(describeAlarmType('9999'), 'alarm type 9999')
  })

  test('of what was held back says how many they were, and where to look', () => {
    const summary = { id: 's', kind: 'summary', channel: 'office', seconds: 600 } as const

    assert.equal(
      subjectOf({ ...summary, heldBack: 12 }),
      'Plumbline: 12 more notifications held back',
    )
    assert.equal(subjectOf({ ...summary, heldBack: 1 }), 'Plumbline: 1 more notification held back')
    const text = textOf({ ...summary, heldBack: 12 })
    assert.match(text, /^12 more notifications were due within 600 seconds\./)
    assert.match(text, /plumbline notifications log --channel office --state suppressed\n$/)
  })

  test('has a subject of one short line, whatever people call their points', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 400 })
    fc.assert(
      fc.property(anything, anything, (name, point) => {
        const alarm = {
          ...ALARM,
          structure: { id: 1, name },
          source: { id: '1', name: point },
        }
        const subject = subjectOf(notificationOf({ alarm } as Partial<Notification>))
        assert.ok(Array.from(subject).length <= 150)
        assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u)
      }),
    )
  })
})
