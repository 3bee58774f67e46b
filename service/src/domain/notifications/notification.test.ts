import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { subjectOf, textOf, type Notification, type NotifiedAlarm } from './notification.ts'

const ALARM: NotifiedAlarm = {
  id: 17,
  structure: { id: 1, name: '长江大桥' },
  source: { id: '1001', name: '应变-01' },
  sourceType: 2,
  type: 1,
  alarmTypeCode: '3007',
  alarmCode: '30070001',
  level: 1,
  state: 0,
  count: 1,
  content: '应变: 301µε, level 1 threshold (300,+)',
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

describe('a message', () => {
  test('says in one line what happened where, at which level', () => {
    assert.equal(subjectOf(notificationOf()), 'New alarm: 长江大桥, 应变-01, level 1')
    assert.equal(
      subjectOf(notificationOf({ event: 'cleared' })),
      'Alarm cleared: 长江大桥, 应变-01, level 1',
    )
    assert.equal(
      subjectOf(notificationOf({ kind: 'reminder', event: 'escalated' })),
      'Still open: 长江大桥, 应变-01, level 1',
    )
  })

  test('says everything that a person needs in plain words', () => {
    assert.equal(
      textOf(notificationOf()),
      `New alarm: 长江大桥, 应变-01, level 1.

应变: 301µε, level 1 threshold (300,+)

Alarm:       17 (30070001)
Structure:   长江大桥 (1)
Source:      应变-01 (1001)
Level:       1
Time:        2026-03-01 08:00:00
Since:       2026-03-01 08:00:00
Occurrences: 1
Message:     alarm-17-0
`,
    )
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
