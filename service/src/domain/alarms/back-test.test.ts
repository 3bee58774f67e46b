import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zone } from '../time/local-time.ts'
import type { FactorItem } from '../site/site-entry.ts'
import type { ItemRules } from './alarm-settings.ts'
import { BackTestRun } from './back-test.ts'
import type { StationBatch } from './station-evaluator.ts'

const ITEMS: FactorItem[] = [{ id: 1, key: 'x', name: 'X', unit: 'mm', precision: 0.1 }]
const SHANGHAI = zone('Asia/Shanghai')

const DRAFT: StationBatch = {
  clearAfter: 2,
  needsPerson: true,
  items: [
    {
      item: 'x',
      timeDivision: false,
      config: [
        {
          startTime: null,
          endTime: null,
          thresholds: [
            { level: 1, value: '(20,+)' },
            { level: 2, value: '(10,20)' },
          ],
        },
      ],
      range: { high: 1000, level: 3 },
    },
  ],
}

function backTest(
  records: [local: string, value: number | null][],
  { rules = {}, evaluateUncertain = true }: { rules?: ItemRules; evaluateUncertain?: boolean } = {},
): BackTestRun {
  const test = new BackTestRun({
    batches: [{ ...DRAFT, items: DRAFT.items.map((item) => ({ ...item, ...rules })) }],
    evaluateUncertain,
    items: ITEMS,
    severity: 'lowestFirst',
    zone: SHANGHAI,
  })
  for (const [local, value] of records) test.add(SHANGHAI.toInstant(local)!, [value])
  return test
}

test('alarms are told by local month, type and level, ended without a person', () => {
  const test = backTest([
    ['2026-01-31 23:00:00', 12],
    ['2026-01-31 23:10:00', 5],
    ['2026-02-01 00:00:00', 5],
    ['2026-02-01 01:00:00', 25],
    ['2026-02-01 01:10:00', 5],
    ['2026-02-01 01:20:00', 5],
    ['2026-02-03 00:00:00', 12],
    ['2026-02-03 00:10:00', 2000],
    ['2026-02-03 00:20:00', null],
    ['2026-02-03 00:30:00', 5],
    ['2026-02-03 00:40:00', 5],
    ['2026-02-28 23:00:00', 11],
    ['2026-02-28 23:30:00', 5],
  ])

  assert.deepEqual(test.report(), {
    records: 13,
    alarms: 5,
    rows: [
      {
        month: '2026-01',
        alarmTypeCode: '3007',
        level: 2,
        count: 1,
        first: '2026-01-31 23:00:00',
        last: '2026-01-31 23:00:00',
        longestSeconds: 3600,
      },
      {
        month: '2026-02',
        alarmTypeCode: '3005',
        level: 3,
        count: 1,
        first: '2026-02-03 00:10:00',
        last: '2026-02-03 00:10:00',
        longestSeconds: 1800,
      },
      {
        month: '2026-02',
        alarmTypeCode: '3007',
        level: 1,
        count: 1,
        first: '2026-02-01 01:00:00',
        last: '2026-02-01 01:00:00',
        longestSeconds: 1200,
      },
      {
        month: '2026-02',
        alarmTypeCode: '3007',
        level: 2,
        count: 2,
        first: '2026-02-03 00:00:00',
        last: '2026-02-28 23:00:00',
        longestSeconds: 2400,
      },
    ],
  })
})

test('a value that a rule calls bad does not count, nor does an uncertain one that is not evaluated', () => {
  const records = [1, 1, 15].map((value, hour): [string, number] => {
    return [`2026-01-01 0${hour}:00:00`, value]
  })
  const alarmsOf = (quality: 'bad' | 'uncertain', evaluateUncertain = true) => {
    const rules = { spike: { deviation: 5, records: 3 as const, quality } }
    return backTest(records, { rules, evaluateUncertain }).report().alarms
  }

  assert.equal(alarmsOf('uncertain'), 1)
  assert.equal(alarmsOf('uncertain', false), 0)
  assert.equal(alarmsOf('bad'), 0)
})

test('a report does not end what is open', () => {
  const test = backTest([['2026-01-01 00:00:00', 15]])
  test.report()

  test.add(SHANGHAI.toInstant('2026-01-01 10:00:00')!, [15])

  const { alarms, rows } = test.report()
  assert.equal(alarms, 1)
  assert.deepEqual(
    rows.map(({ count, longestSeconds }) => [count, longestSeconds]),
    [[1, 36_000]],
  )
})

test('nothing over a limit gives an empty report', () => {
  assert.deepEqual(backTest([['2026-01-01 00:00:00', 1]]).report(), {
    records: 1,
    alarms: 0,
    rows: [],
  })
})
