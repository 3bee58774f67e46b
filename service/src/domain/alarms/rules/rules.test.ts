import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../../time/wall-clock.ts'
import { compileDailyRate } from './daily-rate.ts'
import { compileDesign } from './design.ts'
import { compileFrozen } from './frozen.ts'
import { compileRange } from './range.ts'
import { compileRate } from './rate.ts'
import { hourly, reading, run } from './_run.ts'
import type { ItemValue, Rule, RuleOutcome } from './rule.ts'
import { compileSpike } from './spike.ts'

const HOUR = 3_600_000

/** The level of a violation, or `calm`, or undefined. */
const levels = (outcomes: readonly RuleOutcome[]) =>
  outcomes.map((outcome) => (typeof outcome === 'object' ? outcome.level : outcome))

const perHour = compileRate(
  {
    per: 'hour',
    longestGap: 10,
    levels: [
      { level: 2, limit: 2 },
      { level: 1, limit: 5 },
    ],
  },
  'mm',
  'lowestFirst',
)

const over = (hours: number) => run(perHour, [reading(0, 0), reading(hours * HOUR, 12)]).outcomes

describe('a rate of change', () => {
  test('is that since an hour ago, up or down, and reaches a limit at the limit', () => {
    const { outcomes } = run(perHour, [
      reading(0, 10),
      reading(HOUR / 2, 11),
      reading(HOUR, 11.9),
      reading(1.5 * HOUR, 9),
      reading(2 * HOUR, 6),
    ])

    assert.deepEqual(levels(outcomes), [undefined, undefined, 'normal', 2, 1])
    assert.deepEqual(outcomes[3], { level: 2, limit: 'rate 2mm/h, limit 2mm/h' })
  })

  test('over a gap is the mean one, and over too long a gap none', () => {
    assert.deepEqual(levels(over(2)), [undefined, 1])
    assert.deepEqual(levels(over(5)), [undefined, 2])
    assert.deepEqual(levels(over(10)), [undefined, 'normal'])
    assert.deepEqual(levels(over(10.1)), [undefined, undefined])
  })

  test('per day compares readings that come at about the same time of day', () => {
    const perDay = compileRate(
      { per: 'day', longestGap: 10, levels: [{ level: 1, limit: 3 }] },
      'mm',
      'lowestFirst',
    )

    const { outcomes } = run(perDay, [
      reading(0, 0),
      reading(DAY_MS - 20 * 60_000, 3),
      reading(2 * DAY_MS, 4),
    ])

    assert.deepEqual(levels(outcomes), [undefined, 1, 'normal'])
  })

  test('remembers little, however many readings come', () => {
    const readings = Array.from({ length: 20_000 }, (_, n) => reading(n * 1000, Math.sin(n)))

    const { state } = run(perHour, readings)

    assert.ok(state!.points.length <= 26)
  })

  test('of a steady slope is found by readings at any interval up to the gap', () => {
    const interval = fc.integer({ min: 1000, max: 9 * HOUR })
    const property = fc.property(
      interval,
      fc.double({ min: 2.01, max: 4.99, noNaN: true }),
      (every, slope) => {
        const readings = Array.from({ length: 100 }, (_, n) => {
          return reading(n * every, (n * every * slope) / HOUR)
        })

        const { outcomes } = run(perHour, readings)

        const early = readings.filter(({ time }) => time < HOUR - HOUR / 24).length
        assert.deepEqual(
          levels(outcomes),
          readings.map((_, index) => (index < Math.max(early, 1) ? undefined : 2)),
        )
      },
    )
    fc.assert(property)
  })
})

const daily = (...values: (number | null)[]): ItemValue[] =>
  values.flatMap((value, day) => (value === null ? [] : [reading(day * DAY_MS + 8 * HOUR, value)]))

describe('a daily rate', () => {
  const rule = compileDailyRate(
    {
      days: 3,
      levels: [
        { level: 2, limit: 1.4 },
        { level: 1, limit: 3 },
      ],
    },
    'mm',
    'lowestFirst',
  )

  test('alarms on the last of so many days in a row', () => {
    const { outcomes } = run(rule, daily(0, 1.5, 3, 4.5, 6, 7))

    assert.deepEqual(levels(outcomes), [undefined, 'normal', 'normal', 2, 2, 'normal'])
    assert.deepEqual(outcomes[3], {
      level: 2,
      limit: 'rate 1.5mm/d, limit 1.4mm/d on 3 days in a row',
    })
  })

  test('takes the worst level of which the row is long enough', () => {
    const { outcomes } = run(rule, daily(0, 1.5, 5, 9, 13))

    assert.deepEqual(levels(outcomes), [undefined, 'normal', 'normal', 2, 1])
  })

  test('begins its row anew after a day without a reading', () => {
    const { outcomes } = run(rule, daily(0, 2, 4, null, 8, 10, 12, 14))

    assert.deepEqual(levels(outcomes), [
      undefined,
      'normal',
      'normal',
      undefined,
      'normal',
      'normal',
      2,
    ])
  })

  test('counts a day by its last reading', () => {
    const { outcomes } = run(rule, [
      reading(8 * HOUR, 0),
      reading(DAY_MS, 2),
      reading(DAY_MS + HOUR, 0.5),
      reading(2 * DAY_MS, 2),
      reading(3 * DAY_MS, 4),
      reading(4 * DAY_MS, 6),
    ])

    assert.deepEqual(levels(outcomes), [undefined, 'normal', 'normal', 'normal', 'normal', 2])
  })
})

describe('a value out of range', () => {
  test('is below the low or above the high end, which themselves are in range', () => {
    const { outcomes } = run(
      compileRange({ low: -50, high: 50, level: 3 }),
      [-51, -50, 0, 50, 51].map((value, index) => reading(index, value)),
    )

    assert.deepEqual(levels(outcomes), [3, 'normal', 'normal', 'normal', 3])
    assert.deepEqual(outcomes[0], { level: 3, limit: 'out of range [-50,50]' })
  })

  test('may have one end only', () => {
    const { outcomes } = run(compileRange({ low: 0, level: 1 }), [reading(0, -1), reading(1, 1e9)])

    assert.deepEqual(outcomes, [{ level: 1, limit: 'out of range [0,+]' }, 'normal'])
  })
})

const fourEvery = (hours: number) => [0, 1, 2, 3].map((n) => reading(n * hours * HOUR, 1))

describe('a frozen value', () => {
  const rule = compileFrozen({ hours: 2, epsilon: 0.1, records: 3, level: 4 })

  test('has moved by no more than epsilon for so long', () => {
    const { outcomes } = run(rule, hourly(1, 1.05, 1.1, 1, 1.2, 1.2))

    assert.deepEqual(levels(outcomes), ['normal', 'normal', 4, 4, 'normal', 'normal'])
    assert.deepEqual(outcomes[2], { level: 4, limit: 'unchanged for 2 h' })
  })

  test('is not told from too few readings, nor over a gap as long as the duration', () => {
    assert.deepEqual(levels(run(rule, fourEvery(1.5)).outcomes), ['normal', 'normal', 4, 4])
    assert.deepEqual(levels(run(rule, fourEvery(2)).outcomes), [
      'normal',
      'normal',
      'normal',
      'normal',
    ])
  })

  test('takes as many readings as it is told to', () => {
    const patient = compileFrozen({ hours: 2, epsilon: 0, records: 5, level: 4 })

    const { outcomes } = run(patient, hourly(1, 1, 1, 1, 1, 1))

    assert.deepEqual(levels(outcomes), ['normal', 'normal', 'normal', 'normal', 4, 4])
  })

  test('that drifts away slowly moves', () => {
    const { outcomes } = run(rule, hourly(1, 1.06, 1.12, 1.18, 1.24))

    assert.ok(!levels(outcomes).includes(4))
  })
})

describe('a percentage of a design value', () => {
  const settings = {
    value: 500,
    isSymmetric: true,
    levels: [
      { level: 3, percent: 60 },
      { level: 1, percent: 100 },
      { level: 2, percent: 70 },
    ],
  }

  test('is reached at the percentage, on both sides of zero', () => {
    const rule = compileDesign(settings, 'kN', 'lowestFirst')
    const values = [299, 300, 350, -350, -500, 499.9]

    const { outcomes } = run(
      rule,
      values.map((value, index) => reading(index, value)),
    )

    assert.deepEqual(levels(outcomes), ['normal', 3, 2, 2, 1, 2])
    assert.deepEqual(outcomes[2], { level: 2, limit: 'at 70% of the design value 500kN' })
  })

  test('may count on its own side of zero only', () => {
    const rule = compileDesign({ ...settings, value: -500, isSymmetric: false }, '', 'lowestFirst')

    const { outcomes } = run(rule, [reading(0, 600), reading(1, -600)])

    assert.deepEqual(levels(outcomes), ['normal', 1])
  })

  test('is not missed by the last bit of a division', () => {
    const property = fc.property(
      fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      fc.integer({ min: 1, max: 150 }),
      (value, percent) => {
        const levels = [{ level: 1, percent }]
        const rule = compileDesign({ value, isSymmetric: false, levels }, '', 'lowestFirst')

        const { outcome } = rule.evaluate(null, reading(0, (value * percent) / 100))

        assert.equal(typeof outcome, 'object')
      },
    )
    fc.assert(property)
  })
})

describe('every rule', () => {
  const rules: Rule[] = [
    perHour,
    compileDailyRate({ days: 2, levels: [{ level: 1, limit: 1 }] }, '', 'lowestFirst'),
    compileFrozen({ hours: 12, epsilon: 1, records: 2, level: 1 }),
    compileRange({ low: 1, high: 3, level: 1 }),
    compileSpike({ deviation: 1, records: 3 }),
    compileDesign(
      { value: 3, isSymmetric: true, levels: [{ level: 1, percent: 90 }] },
      '',
      'lowestFirst',
    ),
  ]
  const readings = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4 })))
    .map((list) => list.map(([time, value]) => reading(time * 5 * HOUR, value)))

  test('says the same of a reading that comes again, and keeps its state as plain JSON', () => {
    const property = fc.property(fc.constantFrom(...rules), readings, (rule, readings) => {
      let state: unknown = null
      for (const one of readings) {
        const first = rule.evaluate(state, one)
        const again = rule.evaluate(first.state, one)

        assert.deepEqual(again, first)
        assert.equal(again.state, first.state)
        assert.deepEqual(JSON.parse(JSON.stringify(first.state)), first.state)
        ;({ state } = first)
      }
    })
    fc.assert(property)
  })

  test('is not moved by late readings', () => {
    const property = fc.property(fc.constantFrom(...rules), readings, (rule, readings) => {
      let newest = -Infinity
      const onTime = readings.filter(({ time }) => {
        const isOnTime = time >= newest
        newest = Math.max(newest, time)
        return isOnTime
      })

      assert.deepEqual(run(rule, readings).state, run(rule, onTime).state)
    })
    fc.assert(property)
  })
})
