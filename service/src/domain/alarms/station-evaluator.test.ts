import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import type { FactorItem, ThresholdItem, ThresholdLevel } from '../site/site-entry.ts'
import { apply } from './_apply.ts'
import { replay, type Arrival, type ModelAlarm } from './_alarm-model.ts'
import type { AlarmEvent } from './alarm-lifecycle.ts'
import type { AlarmState } from './alarm-state.ts'
import type { DataAlarm } from './alarm-types.ts'
import type { RuleStates } from './rules/rule.ts'
import { compileStation, type StationEvaluator } from './station-evaluator.ts'

const ITEMS: FactorItem[] = [
  { id: 1, key: 'x', name: 'Strain', unit: 'µε', precision: 0.1 },
  { id: 2, key: 'y', name: '温度', unit: '℃', precision: 0.1 },
]

const item = (key: string, thresholds: ThresholdLevel[], rules: Partial<ThresholdItem> = {}) => {
  const config = thresholds.length === 0 ? [] : [{ startTime: null, endTime: null, thresholds }]
  return { item: key, timeDivision: false, config, ...rules }
}

const evaluatorOf = (...items: ThresholdItem[]): StationEvaluator =>
  compileStation([{ items }], ITEMS, 'lowestFirst')

const OPEN: AlarmState = {
  stateCode: 0,
  level: 1,
  content: '',
  count: 1,
  startTime: 0,
  endTime: 0,
  items: ['x'],
  violationAt: 0,
  normalAt: null,
  normalCount: 0,
}

const eventsOf = (
  evaluator: StationEvaluator,
  values: (number | null)[],
  open: Partial<Record<DataAlarm, AlarmState>> = {},
): { alarm: DataAlarm; event: AlarmEvent }[] => [
  ...evaluator.evaluate({ time: 60_000, local: 60_000, values }, 0, {}, (alarm) => open[alarm])
    .events,
]

describe('a record', () => {
  test('with several items over their limits is one event at the worst level', () => {
    const evaluator = evaluatorOf(
      item('x', [{ level: 2, value: '(100,200)' }]),
      item('y', [{ level: 1, value: '(-,-20);(35,+)' }]),
    )

    assert.deepEqual(eventsOf(evaluator, [123.4, 35.20000000000001]), [
      {
        alarm: 'threshold',
        event: {
          kind: 'violation',
          time: 60_000,
          newest: 0,
          level: 1,
          items: ['x', 'y'],
          content:
            'Strain: 123.4µε, level 2 threshold (100,200); 温度: 35.2℃, level 1 threshold (35,+)',
        },
      },
    ])
  })

  test('over nothing is no event while no alarm is open', () => {
    const evaluator = evaluatorOf(item('x', [{ level: 1, value: '(100,+)' }]))

    assert.deepEqual(eventsOf(evaluator, [1, 2]), [])
    assert.deepEqual(eventsOf(evaluator, [1, 2], { threshold: { ...OPEN, stateCode: 3 } }), [])
  })

  test('is normal only when everything that the alarm is about is', () => {
    const level: ThresholdLevel[] = [{ level: 1, value: '(100,+)' }]
    const evaluator = evaluatorOf(item('x', level, { hysteresis: { value: 10 } }), item('y', level))
    const kindOf = (values: (number | null)[], items: string[]) =>
      eventsOf(evaluator, values, { threshold: { ...OPEN, items } })[0]?.event.kind

    assert.equal(kindOf([50, 50], ['x', 'y']), 'normal')
    assert.equal(kindOf([95, 50], ['x', 'y']), 'deadband')
    assert.equal(kindOf([95, 50], ['y']), 'normal')
    assert.equal(kindOf([50, null], ['x', 'y']), undefined)
    assert.equal(kindOf([50, null], ['x']), 'normal')
  })

  test('ends an alarm of an item that has no thresholds any more', () => {
    const [normal] = eventsOf(evaluatorOf(), [500, 1], { threshold: OPEN })

    assert.equal(normal?.event.kind, 'normal')
    assert.deepEqual(normal?.event, {
      kind: 'normal',
      time: 60_000,
      newest: 0,
      content: 'back to normal: Strain: 500µε',
    })
  })

  test('may raise alarms of several types, a design value being one over a threshold', () => {
    const evaluator = evaluatorOf(
      item('x', [{ level: 3, value: '(100,+)' }], {
        design: { value: 200, isSymmetric: true, levels: [{ level: 2, percent: 80 }] },
      }),
      item('y', [], { range: { low: -50, high: 90, level: 4 } }),
    )

    const events = eventsOf(evaluator, [160, 850]).map(({ alarm, event }) => {
      return event.kind === 'violation' ? [alarm, event.level, event.content] : []
    })
    assert.deepEqual(events, [
      ['range', 4, '温度: 850℃, level 4 out of range [-50,90]'],
      [
        'threshold',
        2,
        'Strain: 160µε, level 3 threshold (100,+); ' +
          'Strain: 160µε, level 2 at 80% of the design value 200µε',
      ],
    ])
  })

  test('of a station with several batches lives by the strictest of them', () => {
    const batch = { items: [item('x', [{ level: 1, value: '(1,+)' }])] }

    const { lifecycles: life } = compileStation(
      [
        { ...batch, clearAfter: 3, clearAfterMinutes: 10 },
        { ...batch, clearAfter: 2, clearAfterMinutes: 15, needsPerson: true },
      ],
      ITEMS,
      'highestFirst',
    )

    assert.deepEqual(life.threshold, {
      typeCode: '3007',
      severity: 'highestFirst',
      clearAfter: 3,
      clearAfterMinutes: 15,
      needsPerson: true,
    })
  })

  test('moves what each rule remembers on, and leaves the others alone', () => {
    const frozen = { hours: 1, epsilon: 0, records: 2, level: 1 }
    const evaluator = evaluatorOf(item('x', [], { frozen }), item('y', [], { frozen }))
    const evaluate = (time: number, values: (number | null)[], states: RuleStates) =>
      evaluator.evaluate({ time, local: time, values }, null, states, () => null).ruleStates

    const first = evaluate(1, [1, 1], {})
    const second = evaluate(2, [1, null], first)

    const [ofX, ofY] = Object.keys(first)
    assert.notEqual(second[ofX!], first[ofX!])
    assert.equal(second[ofY!], first[ofY!])
  })

  test('leaves the states of the rules as it is when it comes again', () => {
    const evaluator = evaluatorOf(
      item('x', [], { frozen: { hours: 1, epsilon: 0, records: 2, level: 1 } }),
    )
    const evaluate = (states: RuleStates) =>
      evaluator.evaluate({ time: 5, local: 5, values: [1, 1] }, null, states, () => null)

    const { ruleStates: states } = evaluate({})

    assert.equal(evaluate(states).ruleStates, states)
    assert.deepEqual(JSON.parse(JSON.stringify(states)), states)
  })
})

describe('a value outside its measuring range', () => {
  const evaluator = evaluatorOf(
    item('x', [{ level: 1, value: '(100,+)' }], {
      hysteresis: { value: 10 },
      range: { low: -500, high: 500, level: 3 },
      rates: [
        { per: 'hour', longestGap: 10, levels: [{ level: 2, limit: 50 }] },
        { per: 'day', days: 2, longestGap: 10, levels: [{ level: 2, limit: 50 }] },
      ],
      frozen: { hours: 1, epsilon: 0, records: 2, level: 4 },
      design: { value: 400, isSymmetric: true, levels: [{ level: 2, percent: 80 }] },
    }),
    item('y', [{ level: 2, value: '(35,+)' }]),
  )

  test('raises the range alarm only', () => {
    for (const value of [99_999, -99_999]) {
      const events = eventsOf(evaluator, [value, 20])

      assert.deepEqual(
        events.map(({ alarm }) => alarm),
        ['range'],
      )
    }
  })

  test('leaves the other items of the record to their limits', () => {
    const [range, threshold] = eventsOf(evaluator, [5400, 36])

    assert.equal(range?.alarm, 'range')
    assert.equal(threshold?.event.kind, 'violation')
    assert.deepEqual(
      threshold.event.kind === 'violation' && [threshold.event.items, threshold.event.content],
      [['y'], '温度: 36℃, level 2 threshold (35,+)'],
    )
  })

  test('is no event for an open alarm of another type, so that it neither repeats nor clears it', () => {
    const open = { threshold: OPEN, rate: OPEN, frozen: OPEN }

    assert.deepEqual(
      eventsOf(evaluator, [-5400, 20], open).map(({ alarm }) => alarm),
      ['range'],
    )
  })

  const kindsOf = (values: (number | null)[], items: string[]) =>
    eventsOf(evaluator, values, { threshold: { ...OPEN, items } }).map(({ event }) => event.kind)

  test('of an item beside others hides only itself', () => {
    assert.deepEqual(kindsOf([9999, 20], ['x', 'y']), ['violation'])
    assert.deepEqual(kindsOf([9999, 20], ['y']), ['violation', 'normal'])
  })

  test('of a removed threshold is told as no value', () => {
    const ranged = evaluatorOf(item('x', [], { range: { high: 500, level: 3 } }))

    const events = eventsOf(ranged, [5400, 1], { threshold: OPEN })

    assert.deepEqual(
      events.map(({ event }) => event.kind === 'normal' && event.content),
      [false, 'back to normal: Strain: no value'],
    )
  })

  test('leaves the states of all rules as records without it do, whatever comes before and after', () => {
    const values = fc.array(
      fc.record({
        hours: fc.integer({ min: 0, max: 30 }),
        value: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(99_999, -5400, 501)),
      }),
      { maxLength: 30 },
    )
    const property = fc.property(values, (steps) => {
      let [withValue, without]: RuleStates[] = [{}, {}]
      let time = 0
      for (const { hours, value } of steps) {
        time += hours * 1_800_000
        const evaluate = (shown: number | null, states: RuleStates) =>
          evaluator.evaluate({ time, local: time, values: [shown, 0] }, null, states, () => null)
        const isMeasured = Math.abs(value) <= 500
        const seen = evaluate(value, withValue ?? {})
        const expected = evaluate(isMeasured ? value : null, without ?? {})
        ;[withValue, without] = [seen.ruleStates, expected.ruleStates]

        assert.deepEqual(withValue, without)
        assert.deepEqual(
          seen.events.filter(({ alarm }) => alarm !== 'range'),
          expected.events,
        )
      }
    })
    fc.assert(property, { numRuns: runs(300) })
  })
})

const levels = fc
  .uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 })
  .map((limits) => {
    const sorted = limits.toSorted((a, b) => b - a)
    return sorted.map((limit, index) => ({ level: index + 1, limit }))
  })
const version = fc.record({ levels, margin: fc.integer({ min: 1, max: 3 }) })
const arrival = fc.record({
  time: fc.integer({ min: 0, max: 15 }),
  value: fc.integer({ min: -2, max: 12 }),
  version: fc.nat(2),
})

/** What a value is to the limits of a version, without any edges. */
function kindOf(value: number, { levels, margin }: { levels: Limits; margin: number }) {
  const reached = levels.filter(({ limit }) => value >= limit).map(({ level }) => level)
  if (reached.length > 0) return { level: Math.min(...reached) }
  const lowest = Math.min(...levels.map(({ limit }) => limit))
  return value > lowest - margin ? 'deadband' : 'normal'
}

type Limits = { level: number; limit: number }[]

test('values evaluated by changing thresholds raise alarms as the whole history says they do', () => {
  const property = fc.property(
    fc.array(version, { minLength: 3, maxLength: 3 }),
    fc.array(arrival, { maxLength: 40 }),
    fc.integer({ min: 1, max: 3 }),
    (versions, arrivals, clearAfter) => {
      const evaluators = versions.map(({ levels, margin }) => {
        const thresholds = levels.map(({ level, limit }) => ({ level, value: `(${limit},+)` }))
        const items = [item('x', thresholds, { hysteresis: { value: margin } })]
        return compileStation([{ items, clearAfter }], ITEMS, 'lowestFirst')
      })
      const alarms: Pick<ModelAlarm, 'state' | 'level' | 'count'>[] = []
      let state: AlarmState | null = null
      let newest: number | null = null
      const findState = (alarm: DataAlarm) => (alarm === 'threshold' ? state : null)
      for (const { time, value, version } of arrivals) {
        const evaluator: StationEvaluator = evaluators[version]!
        const record = { time, local: time, values: [value, null] }
        const [found] = evaluator.evaluate(record, newest, {}, findState).events
        newest = Math.max(newest ?? time, time)
        if (found === undefined) continue
        const after = apply(state, found.event, evaluator.lifecycles.threshold)
        ;({ state } = after)
        if (after.isNew) alarms.push({ state: 0, level: 0, count: 0 })
        if (state === null) continue
        const { stateCode, level, count }: AlarmState = state
        Object.assign(alarms.at(-1)!, { state: stateCode, level, count })
      }

      const kinds = arrivals.map(({ time, value, version }): Arrival => ({
        time,
        kind: kindOf(value, versions[version]!),
      }))
      const settings = { clearAfter, needsPerson: false, severity: 'lowestFirst' as const }
      const expected = replay(kinds, settings).alarms.map(({ state, level, count }) => {
        return { state, level, count }
      })
      assert.deepEqual(alarms, expected)
    },
  )
  fc.assert(property, { numRuns: runs(1000) })
})
