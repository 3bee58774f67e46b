import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import type { RateSettings } from '../alarm-settings.ts'
import { DAY_MS } from '../../time/wall-clock.ts'
import { compileDailyRate } from './daily-rate.ts'
import { compileRate } from './rate.ts'
import type { ItemValue, Rule, RuleOutcome } from './rule.ts'

const MINUTE = 60_000

const levels = [
  { level: 2, limit: 10 },
  { level: 1, limit: 40 },
]

const perHour = (more: Partial<RateSettings>): Rule<unknown> =>
  compileRate({ per: 'hour', longestGap: 10, levels, ...more }, 'mm', 'lowestFirst')

/** The outcomes of values, each at its minute. */
function outcomesOf(rule: Rule<unknown>, values: readonly (readonly [number, number])[]) {
  let state: unknown = null
  return values.map(([minute, value]): RuleOutcome => {
    const time = minute * MINUTE
    const reading: ItemValue = { time, day: Math.floor(time / DAY_MS), value }
    const observed = rule.evaluate(state, reading)
    ;({ state } = observed)
    return observed.outcome
  })
}

const short = (outcomes: readonly RuleOutcome[]) =>
  outcomes.map((outcome) => (typeof outcome === 'object' ? outcome.level : outcome))

describe('a rate over some minutes', () => {
  test('is the change in that time, as a rate per hour', () => {
    const outcomes = outcomesOf(perHour({ overMinutes: 15 }), [
      [0, 0],
      [5, 1],
      [15, 3],
      [30, 5],
      [35, 18],
    ])

    assert.deepEqual(short(outcomes), [undefined, undefined, 2, 'normal', 1])
    assert.deepEqual(outcomes[2], { level: 2, limit: 'rate 12mm/h over 15 min, limit 10mm/h' })
  })

  test('finds a jump that an hour would smooth away', () => {
    const values = [...Array(12).keys()].map((at) => [at * 5, at < 9 ? 0 : 5] as const)

    assert.ok(short(outcomesOf(perHour({ overMinutes: 15 }), values)).includes(2))
    assert.ok(!short(outcomesOf(perHour({}), [...values, [60, 5]])).includes(2))
  })

  test('over a gap is the mean rate, up to the longest gap', () => {
    const rule = perHour({ overMinutes: 15, longestGap: 1 })

    assert.deepEqual(
      short(
        outcomesOf(rule, [
          [0, 0],
          [60, 12],
        ]),
      ),
      [undefined, 2],
    )
    assert.deepEqual(
      short(
        outcomesOf(rule, [
          [0, 0],
          [61, 12],
        ]),
      ),
      [undefined, undefined],
    )
  })
})

describe('a rate between records', () => {
  test('is the change since the record before, as a rate per hour', () => {
    const outcomes = outcomesOf(perHour({ consecutive: true }), [
      [0, 0],
      [1, 0.1],
      [2, 0.5],
      [32, 5.5],
      [632.1, 200],
    ])

    assert.deepEqual(short(outcomes), [undefined, 'normal', 2, 2, undefined])
    assert.deepEqual(outcomes[2], { level: 2, limit: 'rate 24mm/h between records, limit 10mm/h' })
  })

  test('is compared with the record before again where a value is corrected', () => {
    const outcomes = outcomesOf(perHour({ consecutive: true }), [
      [0, 0],
      [1, 5],
      [1, 0.1],
      [2, 0.2],
    ])

    assert.deepEqual(short(outcomes), [undefined, 1, 'normal', 'normal'])
  })
})

const daily = (direction: RateSettings['direction'] & string) =>
  compileDailyRate({ days: 2, levels: [{ level: 1, limit: 3 }], direction }, 'mm', 'lowestFirst')

describe('a rate with a direction', () => {
  const UP = [
    [0, 0],
    [60, 20],
  ] as const
  const DOWN = [
    [0, 20],
    [60, 0],
  ] as const

  test('counts changes of that direction only, with its sign in the text', () => {
    const [rising, falling] = [perHour({ direction: 'rising' }), perHour({ direction: 'falling' })]

    assert.deepEqual(short(outcomesOf(rising, UP)), [undefined, 2])
    assert.deepEqual(short(outcomesOf(rising, DOWN)), [undefined, 'normal'])
    assert.deepEqual(short(outcomesOf(falling, UP)), [undefined, 'normal'])
    assert.deepEqual(outcomesOf(falling, DOWN)[1], {
      level: 2,
      limit: 'rate -20mm/h, limit -10mm/h',
    })
    assert.deepEqual(short(outcomesOf(perHour({ direction: 'both' }), DOWN)), [undefined, 2])
  })

  test('on days in a row counts only days of that direction', () => {
    const values = [0, 5, 10, 5, 0].map((value, day) => [day * 1440, value] as const)

    assert.deepEqual(short(outcomesOf(daily('rising'), values)), [
      undefined,
      'normal',
      1,
      'normal',
      'normal',
    ])
    assert.deepEqual(short(outcomesOf(daily('falling'), values)), [
      undefined,
      'normal',
      'normal',
      'normal',
      1,
    ])
    assert.deepEqual(short(outcomesOf(daily('both'), values)), [undefined, 'normal', 1, 1, 1])
  })

  test('of both directions is violated where one of the two is, over any time', () => {
    const values = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: -30, max: 30 })),
    )
    const base = fc.constantFrom({}, { overMinutes: 15 }, { consecutive: true })
    const property = fc.property(values, base, (steps, more) => {
      let minute = 0
      const timed = steps.map(([after, value]) => [(minute += after), value] as const)
      const of = (direction: 'both' | 'rising' | 'falling') =>
        short(outcomesOf(perHour({ ...more, direction }), timed))
      const [up, down] = [of('rising'), of('falling')]

      assert.deepEqual(
        of('both'),
        up.map((one, at) => (typeof one === 'number' ? one : down[at])),
      )
    })
    fc.assert(property, { numRuns: runs(500) })
  })
})

describe('every rate', () => {
  test('says the same of a value that comes again, is not moved by late ones, and remembers little', () => {
    const rules = fc.constantFrom(
      perHour({ overMinutes: 15, direction: 'rising' }),
      perHour({ consecutive: true }),
      perHour({ consecutive: true, direction: 'falling', longestGap: 1 }),
    )
    const values = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: -9, max: 9 })),
    )
    const property = fc.property(rules, values, (rule, readings) => {
      let state: unknown = null
      let newest = -Infinity
      for (const [minute, value] of readings) {
        const time = minute * MINUTE
        const first = rule.evaluate(state, { time, day: 0, value })
        const again = rule.evaluate(first.state, { time, day: 0, value })

        assert.deepEqual(again, first)
        assert.equal(again.state, first.state)
        if (time < newest) assert.equal(first.state, state)
        assert.ok(JSON.stringify(first.state).length < 1500)
        newest = Math.max(newest, time)
        ;({ state } = first)
      }
    })
    fc.assert(property, { numRuns: runs(500) })
  })
})
