import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FactorItem } from '../site/site-entry.ts'
import type { ItemRules } from './alarm-settings.ts'
import type { AlarmState } from './alarm-state.ts'
import type { RuleStates } from './rules/rule.ts'
import { compileStation, type StationEvaluator } from './station-evaluator.ts'

const HOUR = 3_600_000
const ITEMS: FactorItem[] = ['x', 'y'].map((key, index) => {
  return { id: index + 1, key, name: key.toUpperCase(), unit: 'mm', precision: 1 }
})

const LEVELS = [{ level: 1, value: '(100,+)' }]
const CONFIG = [{ startTime: null, endTime: null, thresholds: LEVELS }]

type Batch = Partial<Record<'x' | 'y', ItemRules>>

/** A station whose items are over their limit from 100 on, with rules of some batches. */
const stationOf = (batches: Batch[], evaluateUncertain = true): StationEvaluator => {
  const [limits, ...more] = [{ x: {}, y: {} }, ...batches].map((batch, index) => ({
    items: Object.entries(batch).map(([item, rules]) => {
      return { item, timeDivision: false, config: index === 0 ? CONFIG : [], ...rules }
    }),
  }))
  const all = limits === undefined ? more : [limits, ...more]
  return compileStation(all, ITEMS, 'lowestFirst', { evaluateUncertain })
}

/** What the last of records says, one of which comes every hour. */
function last(station: StationEvaluator, ...records: (number | null)[][]) {
  let states: RuleStates = {}
  const results = records.map((values, index) => {
    const time = index * HOUR
    const result = station.evaluate({ time, local: time, values }, null, states, () => null)
    states = result.ruleStates
    return result
  })
  const { events, marks } = results.at(-1)!
  const raised = events.map(({ alarm, event }) => [
    alarm,
    event.kind === 'violation' && event.content,
  ])
  return { marks, raised }
}

const range = { high: 500, level: 3 }
const spike = { deviation: 10, records: 3 } as const
const frozen = { hours: 2, epsilon: 0, records: 3, level: 4 }
const OVER = 'mm, level 1 threshold (100,+)'

describe('the quality that a rule gives a value', () => {
  test('is bad: the value is absent for thresholds, and only the alarm of the rule is raised', () => {
    const outside = last(stationOf([{ x: { range } }]), [900, 20])
    const stuck = last(
      stationOf([{ x: { frozen: { ...frozen, quality: 'bad' } } }]),
      ...Array.from({ length: 3 }, () => [200, 20]),
    )

    assert.deepEqual(outside, {
      marks: [{ place: 0, quality: { quality: 'bad', reason: 'outOfRange' } }],
      raised: [['range', 'X: 900mm, level 3 out of range [-,500]']],
    })
    assert.deepEqual(stuck, {
      marks: [{ place: 0, quality: { quality: 'bad', reason: 'frozen' } }],
      raised: [['frozen', 'X: 200mm, level 4 unchanged for 2 h']],
    })
  })

  test('is uncertain: the value is evaluated, unless the structure says otherwise', () => {
    const batch = { x: { spike } }
    const records = [
      [0, 0],
      [0, 0],
      [200, 0],
    ]
    const mark = { place: 0, quality: { quality: 'uncertain', reason: 'spike' } }

    const evaluated = last(stationOf([batch]), ...records)
    const hidden = last(stationOf([batch], false), ...records)

    assert.deepEqual(evaluated, { marks: [mark], raised: [['threshold', `X: 200${OVER}`]] })
    assert.deepEqual(hidden, { marks: [mark], raised: [] })
  })

  test('is good: the value is evaluated, and its alarm raised', () => {
    const { marks, raised } = last(
      stationOf([{ x: { range: { ...range, quality: 'good' } } }]),
      [900, 0],
    )

    assert.deepEqual(marks, [])
    assert.deepEqual(
      raised.map(([alarm]) => alarm),
      ['range', 'threshold'],
    )
  })

  test('is the worse one where two rules judge a value', () => {
    const uncertain = { ...range, quality: 'uncertain' } as const
    const records = [
      [0, 0],
      [0, 0],
      [900, 0],
    ]
    const reasonOf = (quality: 'bad' | 'uncertain') =>
      last(stationOf([{ x: { range: uncertain, spike: { ...spike, quality } } }]), ...records).marks

    assert.deepEqual(reasonOf('bad'), [{ place: 0, quality: { quality: 'bad', reason: 'spike' } }])
    assert.deepEqual(reasonOf('uncertain'), [
      { place: 0, quality: { quality: 'uncertain', reason: 'outOfRange' } },
    ])
  })

  test('belongs to its item only', () => {
    const { marks, raised } = last(stationOf([{ x: { range }, y: { range } }]), [200, 900])

    assert.deepEqual(marks, [{ place: 1, quality: { quality: 'bad', reason: 'outOfRange' } }])
    assert.deepEqual(raised, [
      ['range', 'Y: 900mm, level 3 out of range [-,500]'],
      ['threshold', `X: 200${OVER}`],
    ])
  })

  test('is missing in the usual case, without a list of its own', () => {
    const station = stationOf([{ x: { range, frozen } }])
    const one = last(station, [1, 1])

    assert.equal(one.marks.length, 0)
    assert.equal(one.marks, last(stationOf([]), [1, 1]).marks)
  })
})

describe('the rules of several batches', () => {
  const rates = [{ per: 'hour' as const, longestGap: 10, levels: [{ level: 2, limit: 50 }] }]

  test('see a value in the same order as those of one', () => {
    const station = stationOf([{ x: { rates } }, { x: { spike } }, { x: { range } }])

    assert.deepEqual(last(station, [0, 0], [0, 0], [900, 0]), {
      marks: [{ place: 0, quality: { quality: 'bad', reason: 'outOfRange' } }],
      raised: [['range', 'X: 900mm, level 3 out of range [-,500]']],
    })
  })

  test('may have two ranges, each of which is violated', () => {
    const station = stationOf([{ x: { range } }, { x: { range: { high: 800, level: 2 } } }])

    assert.deepEqual(last(station, [900, 0]).raised, [
      ['range', 'X: 900mm, level 3 out of range [-,500]; X: 900mm, level 2 out of range [-,800]'],
    ])
  })
})

test('a frozen alarm is cleared without telling a value that another rule hides', () => {
  const open: AlarmState = {
    stateCode: 0,
    level: 4,
    content: '',
    count: 1,
    startTime: 0,
    endTime: 0,
    items: ['x', 'y'],
    violationAt: 0,
    normalAt: null,
    normalCount: 0,
  }
  const station = stationOf([{ x: { frozen }, y: { range } }])
  const record = { time: HOUR, local: HOUR, values: [5, 900] }

  const { events } = station.evaluate(record, 0, {}, (alarm) => (alarm === 'frozen' ? open : null))

  const { event } = events.find(({ alarm }) => alarm === 'frozen')!
  assert.equal(event.kind === 'normal' && event.content, 'back to normal: X: 5mm; Y: no value')
})

test('a record that is not evaluated yet has the marks of its ranges', () => {
  const station = stationOf([{ x: { range, spike }, y: { range: { ...range, quality: 'good' } } }])

  assert.deepEqual(station.judge([900, 900]), [
    { place: 0, quality: { quality: 'bad', reason: 'outOfRange' } },
  ])
  assert.deepEqual(station.judge([null, 1]), [])
})
