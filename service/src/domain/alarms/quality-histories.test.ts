import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import type { FactorItem } from '../site/site-entry.ts'
import { replay, type ModelAlarm, type RecordArrival } from './_alarm-model.ts'
import { apply } from './_apply.ts'
import { judgeAll, type Judged, type JudgedBy, type ValueArrival } from './_quality-model.ts'
import type { AlarmState } from './alarm-state.ts'
import type { DataAlarm } from './alarm-types.ts'
import type { RuleStates } from './rules/rule.ts'
import { compileStation, type StationEvaluator } from './station-evaluator.ts'

const HOUR = 3_600_000
const ITEMS: FactorItem[] = [{ id: 1, key: 'x', name: 'X', unit: 'mm', precision: 1 }]
const LIMIT = 5
const RANGE_LEVEL = 3

const classes = fc.constantFrom('good' as const, 'uncertain' as const, 'bad' as const)

const rules: fc.Arbitrary<JudgedBy> = fc.record({
  range: classes.map((quality) => ({ low: -1, high: 8, quality })),
  spike: fc.record({
    deviation: fc.integer({ min: 1, max: 4 }),
    records: fc.constantFrom(3, 5),
    quality: fc.constantFrom('uncertain' as const, 'bad' as const),
  }),
  frozen: fc.record({
    hours: fc.integer({ min: 2, max: 4 }),
    records: fc.integer({ min: 2, max: 4 }),
    quality: classes,
  }),
  evaluateUncertain: fc.boolean(),
})

/** Values that mostly come in order, and some that come late or again. */
const arrivals: fc.Arbitrary<ValueArrival[]> = fc
  .array(
    fc.record({
      hours: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(1, 1, 1, 2) },
        { weight: 1, arbitrary: fc.integer({ min: -4, max: 6 }) },
        { weight: 1, arbitrary: fc.constant(0) },
      ),
      value: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(1, 2, 2, 2) },
        { weight: 3, arbitrary: fc.integer({ min: -2, max: 9 }) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let hour = 100
    return steps.map(({ hours, value }) => ({ hour: (hour += hours), value }))
  })

const evaluatorOf = ({ range, spike, frozen, evaluateUncertain }: JudgedBy): StationEvaluator => {
  const item = {
    item: 'x',
    timeDivision: false,
    config: [{ startTime: null, endTime: null, thresholds: [{ level: 1, value: `(${LIMIT},+)` }] }],
    range: { ...range, level: RANGE_LEVEL },
    spike,
    frozen: { ...frozen, epsilon: 0, level: 4 },
  }
  return compileStation([{ items: [item] }], ITEMS, 'lowestFirst', { evaluateUncertain })
}

type ShownAlarm = Pick<ModelAlarm, 'type' | 'state' | 'level' | 'count' | 'startTime' | 'endTime'>

/** What the evaluator makes of arrivals, one after the other, with states that were stored. */
function feed(evaluator: StationEvaluator, arrivals: readonly ValueArrival[]) {
  const alarms: ShownAlarm[] = []
  const alarmStates = new Map<DataAlarm, AlarmState>()
  let states: RuleStates = {}
  let newest: number | null = null
  const seen = arrivals.map(({ hour, value }) => {
    const record = { time: hour * HOUR, local: hour * HOUR, values: [value] }
    const before = JSON.parse(JSON.stringify(states)) as RuleStates
    const { measured } = evaluator.measure(record, before)
    const result = evaluator.evaluate(record, newest, before, (alarm) => alarmStates.get(alarm))
    newest = Math.max(newest ?? record.time, record.time)
    states = result.ruleStates
    for (const { alarm, event } of result.events) {
      if (alarm !== 'threshold' && alarm !== 'range') continue
      const after = apply(alarmStates.get(alarm) ?? null, event, evaluator.lifecycles[alarm])
      if (after.state === null) continue
      alarmStates.set(alarm, after.state)
      const { stateCode, level, count, startTime, endTime } = after.state
      const shown = { type: alarm, state: stateCode, level, count, startTime, endTime }
      if (after.isNew) alarms.push(shown)
      else
        Object.assign(
          alarms.findLast(({ type }) => type === alarm)!,
          shown,
        )
    }
    assert.ok(result.marks.length <= 1)
    return { mark: result.marks[0]?.quality, isSeen: measured[0] !== null }
  })
  return { seen, alarms }
}

/** A judged value as the model of alarms takes it. */
function asRecord({ hour, value }: ValueArrival, { isSeen, isOutside }: Judged): RecordArrival {
  const kind = !isSeen || value === null ? 'absent' : value >= LIMIT ? { level: 1 } : 'normal'
  const range = value === null ? 'absent' : isOutside ? { level: RANGE_LEVEL } : 'normal'
  return { time: hour * HOUR, kind, range: { kind: range } }
}

test('any history of values has the qualities and alarms that a look at the whole of it gives', () => {
  const property = fc.property(arrivals, rules, (arrivals, rules) => {
    const { seen, alarms } = feed(evaluatorOf(rules), arrivals)

    const judged = judgeAll(arrivals, rules)
    assert.deepEqual(
      seen,
      judged.map(({ mark, isSeen }) => ({ mark, isSeen })),
    )
    const records = arrivals.map((arrival, index) => asRecord(arrival, judged[index]!))
    const settings = { clearAfter: 1, needsPerson: false, severity: 'lowestFirst' as const }
    const expected = replay(records, settings).alarms.map(
      ({ type, state, level, count, startTime, endTime }): ShownAlarm => {
        return { type, state, level, count, startTime, endTime }
      },
    )
    assert.deepEqual(alarms, expected)
  })
  fc.assert(property, { numRuns: runs(2000) })
})

test('the histories have values of every quality for every reason', () => {
  const found = new Set<string>()
  for (const [list, by] of fc.sample(fc.tuple(arrivals, rules), { numRuns: 300, seed: 1 }))
    for (const { mark } of judgeAll(list, by))
      if (mark !== undefined) found.add(`${mark.quality} ${mark.reason}`)

  assert.deepEqual(
    [...found].toSorted(),
    ['outOfRange', 'spike', 'frozen']
      .flatMap((reason) => [`bad ${reason}`, `uncertain ${reason}`])
      .toSorted(),
  )
})

test('a record that comes again has the same marks and changes nothing', () => {
  const property = fc.property(arrivals, rules, (arrivals, rules) => {
    const evaluator = evaluatorOf(rules)
    let states: RuleStates = {}
    for (const { hour, value } of arrivals) {
      const record = { time: hour * HOUR, local: hour * HOUR, values: [value] }
      const first = evaluator.evaluate(record, null, states, () => null)
      const again = evaluator.evaluate(record, null, first.ruleStates, () => null)

      assert.deepEqual(again.marks, first.marks)
      assert.equal(again.ruleStates, first.ruleStates)
      states = first.ruleStates
    }
  })
  fc.assert(property, { numRuns: runs(500) })
})
