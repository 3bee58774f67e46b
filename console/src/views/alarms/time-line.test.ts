import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTimeLine } from './time-line.ts'

const detail = (time: string, alarmState: number, sponsor = 'plumbline') => ({
  time,
  alarmState,
  sponsor,
  alarmCode: '30070001',
  currentLevel: 2,
  content: 'text',
})

test('transitions and shelvings are in one line, the newest first, in the local time', () => {
  const details = [detail('2026-03-01 08:00:00', 0), detail('2026-03-01 12:00:00', 4, 'Li Wei')]
  const shelving = {
    from: Date.UTC(2026, 2, 1, 1),
    until: Date.UTC(2026, 2, 1, 9),
    comment: 'works',
    sponsor: 'Li Wei',
    endedAt: Date.UTC(2026, 2, 1, 3),
    endedBy: 'person' as const,
  }

  const line = toTimeLine(details, [shelving], 'Asia/Shanghai')

  assert.deepEqual(
    line.map(({ time, kind, who, isComment }) => [time, kind, who, isComment]),
    [
      ['2026-03-01 12:00:00', 'transition', 'Li Wei', true],
      ['2026-03-01 11:00:00', 'unshelved', undefined, false],
      ['2026-03-01 09:00:00', 'shelved', 'Li Wei', true],
      ['2026-03-01 08:00:00', 'transition', undefined, false],
    ],
  )
})

test('what the service writes of a change by a person is no comment', () => {
  const [moment] = toTimeLine([detail('2026-03-01 08:00:00', 0, 'Li Wei')], [], 'UTC')

  assert.deepEqual([moment?.who, moment?.isComment], ['Li Wei', false])
})

test('a shelving that lasts has no end', () => {
  const shelving = { from: 0, until: 1, comment: '', sponsor: 'a', endedAt: null, endedBy: null }

  assert.equal(toTimeLine([], [shelving], 'UTC').length, 1)
})
