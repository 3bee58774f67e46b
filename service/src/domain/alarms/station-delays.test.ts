import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FactorItem, ThresholdItem } from '../site/site-entry.ts'
import { apply } from './_apply.ts'
import type { AlarmState } from './alarm-state.ts'
import type { DataAlarm } from './alarm-types.ts'
import type { RuleStates } from './rules/rule.ts'
import { compileStation, type StationBatch } from './station-evaluator.ts'

const ITEMS: FactorItem[] = [
  { id: 1, key: 'x', name: 'X', unit: 'mm', precision: 0.1 },
  { id: 2, key: 'y', name: 'Y', unit: 'mm', precision: 0.1 },
]
const MINUTE = 60_000

const item = (key: string, more: Partial<ThresholdItem> = {}): ThresholdItem => ({
  item: key,
  timeDivision: false,
  config: [
    {
      startTime: null,
      endTime: null,
      thresholds: [
        { level: 1, value: '(100,+)' },
        { level: 2, value: '(50,100)' },
      ],
    },
  ],
  ...more,
})

/** What becomes of the alarms of each type, record by record: state code, level and count. */
function livesOf(
  batches: readonly StationBatch[],
  records: readonly (readonly (number | null)[])[],
  alarm: DataAlarm = 'threshold',
): (string | null)[] {
  const evaluator = compileStation(batches, ITEMS, 'lowestFirst')
  const alarms = new Map<DataAlarm, AlarmState | null>()
  let states: RuleStates = {}
  return records.map((values, minute) => {
    const time = minute * MINUTE
    const newest = minute === 0 ? null : time - MINUTE
    const found = evaluator.evaluate({ time, local: time, values }, newest, states, (one) =>
      alarms.get(one),
    )
    states = found.ruleStates
    for (const { alarm: type, event } of found.events)
      alarms.set(type, apply(alarms.get(type) ?? null, event, evaluator.lifecycles[type]).state)
    const state = alarms.get(alarm)
    return state === null || state === undefined
      ? null
      : `${state.stateCode} ${state.level} ${state.count}`
  })
}

const single = (...values: (number | null)[]) => values.map((value) => [value, null])

describe('a threshold batch with an on-delay', () => {
  const batch: StationBatch = { items: [item('x')], raiseAfter: { records: 2, of: 3 } }

  test('raises an alarm with the record that completes it, and clears it as ever', () => {
    assert.deepEqual(livesOf([batch], single(60, 0, 60, 0, 0, 60)), [
      null,
      null,
      '0 2 1',
      '3 2 1',
      '3 2 1',
      '3 2 1',
    ])
  })

  test('escalates when the worse level was reached as often; until then it repeats at its level', () => {
    assert.deepEqual(livesOf([batch], single(60, 60, 120, 60, 120)), [
      null,
      '0 2 1',
      '1 2 2',
      '1 2 3',
      '2 1 4',
    ])
  })

  test('does not count records without a value, or with one outside the measuring range', () => {
    const ranged: StationBatch = {
      items: [item('x', { range: { high: 1000, level: 3 } })],
      raiseAfter: { records: 2, of: 2 },
    }

    assert.deepEqual(livesOf([ranged], single(60, null, 5000, 60)), [null, null, null, '0 2 1'])
  })

  test('delays ranges and rates too, each by itself', () => {
    const ranged: StationBatch = {
      items: [item('x', { range: { high: 1000, level: 3 } })],
      raiseAfter: { records: 2, of: 2 },
    }
    const records = single(5000, 60, 5000, 5000)

    assert.deepEqual(livesOf([ranged], records, 'range'), [null, null, null, '0 3 1'])
    assert.deepEqual(livesOf([ranged], records), [null, null, null, null])
  })

  test('does not delay the items of another batch', () => {
    const other: StationBatch = { items: [item('y')] }

    assert.deepEqual(
      livesOf(
        [batch, other],
        [
          [60, 0],
          [0, 120],
        ],
      ),
      [null, '0 1 1'],
    )
  })

  test('keeps a violation that is held back from clearing an open alarm', () => {
    const patient: StationBatch = { ...batch, raiseAfter: { minutes: 1 }, clearAfter: 2 }

    assert.deepEqual(livesOf([patient], single(60, 60, 0, 60, 0, 0)), [
      null,
      '0 2 1',
      '0 2 1',
      '1 2 2',
      '1 2 2',
      '3 2 2',
    ])
  })
})
