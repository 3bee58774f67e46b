import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { instants, ZONES } from '../time/_zones.ts'
import { summarizeRecords, type ItemSummary } from './hour-summary.ts'
import { zone } from '../time/local-time.ts'
import { HOUR_MS, Periods } from '../time/periods.ts'
import { chooseBuckets, BucketBuilder, meanOf } from './series.ts'

const DAY = 24 * HOUR_MS
const shanghai = zone('Asia/Shanghai')

const FIRST = Date.UTC(1, 0, 2) - 1900 * 365.2425 * DAY
const LAST = Date.UTC(9999, 11, 30)

const points = fc.oneof(
  fc.constant(1),
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 10_000 }),
)

/** Windows of every length: seconds, days, centuries, and all years there are. */
const windows = (name: string): fc.Arbitrary<{ from: number; to: number }> =>
  fc
    .tuple(
      fc.oneof(instants(name), fc.integer({ min: FIRST, max: LAST })),
      fc.double({ min: 0, max: Math.log(LAST - FIRST), noNaN: true }),
    )
    .map(([from, power]) => ({ from, to: Math.min(LAST, from + Math.floor(Math.exp(power)) - 1) }))

const widthOf = (start: string, end: string, count: number, name = 'Asia/Shanghai'): number => {
  const clock = zone(name)
  const window = { from: clock.toInstant(start)!, to: clock.toInstant(end)! + 999 }
  return chooseBuckets(window, count, clock).width / 1000
}

describe('the width of buckets', () => {
  for (const name of ZONES)
    test(`in ${name} gives at most as many as there are points, for every window`, () => {
      const clock = zone(name)
      fc.assert(
        fc.property(windows(name), points, ({ from, to }, count) => {
          const buckets = chooseBuckets({ from, to }, count, clock)

          let touched = 0
          for (let at = from; at <= to && touched <= count; at = buckets.at(at).end) touched++
          assert.ok(touched <= count, `${touched} of ${count} at ${buckets.width}`)
        }),
        { numRuns: runs(400) },
      )
    })

  test('is the smallest that does', () => {
    const hour = ['2026-03-01 00:00:00', '2026-03-01 00:59:59'] as const

    const second = ['2026-03-01 00:00:00', '2026-03-01 00:00:00'] as const
    assert.equal(widthOf(...second, 1000), 0.001)
    assert.equal(widthOf(...second, 999), 0.002)
    assert.equal(widthOf(...second, 2), 0.5)
    assert.equal(widthOf(...second, 1), 1)
    assert.equal(widthOf(...hour, 7200), 0.5)
    assert.equal(widthOf(...hour, 3600), 1)
    assert.equal(widthOf(...hour, 3599), 2)
    assert.equal(widthOf(...hour, 1799), 5)
    assert.equal(widthOf(...hour, 60), 60)
    assert.equal(widthOf(...hour, 59), 120)
    assert.equal(widthOf(...hour, 2), 1800)
    assert.equal(widthOf(...hour, 1), 3600)
  })

  test('of a year and 1,000 points is twelve hours, of ten years a week', () => {
    assert.equal(widthOf('2026-01-01 00:00:00', '2026-12-31 23:59:59', 1000), 12 * 3600)
    assert.equal(widthOf('2017-01-01 00:00:00', '2026-12-31 23:59:59', 1000), 7 * 86_400)
  })

  test('counts the edges of a window: a second more is a bucket more', () => {
    assert.equal(widthOf('2026-03-01 00:00:00', '2026-03-01 23:59:59', 24), 3600)
    assert.equal(widthOf('2026-03-01 00:00:00', '2026-03-02 00:00:00', 24), 7200)
  })

  test('counts 25 hours on the day that has them', () => {
    const day = ['2025-10-26 00:00:00', '2025-10-26 23:59:59'] as const

    assert.equal(widthOf(...day, 25, 'Europe/Berlin'), 3600)
    assert.equal(widthOf(...day, 24, 'Europe/Berlin'), 7200)
    assert.equal(widthOf(...day, 1, 'Europe/Berlin'), 86_400)
  })

  test('of one point is found where every shorter bucket ends within the window', () => {
    const width = widthOf('0001-01-01 00:00:00', '9999-12-31 23:59:59', 1)

    assert.equal(width, 2 ** 19 * 7 * 86_400)
    // 2 March 2026 is a Monday.
    assert.equal(widthOf('2026-03-01 23:59:59', '2026-03-02 00:00:00', 1), 8 * 7 * 86_400)
  })

  test('of a window that ends before it begins is a second', () => {
    assert.equal(chooseBuckets({ from: 1, to: 0 }, 1, shanghai).width, 1000)
  })
})

describe('buckets gathered from hours', () => {
  for (const name of ZONES)
    test(`in ${name} are what the records themselves give`, () => {
      const clock = zone(name)
      const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 * HOUR_MS }), fc.nat(100)))
      const width = fc.constantFrom(1, 2, 3, 8, 24, 48, 168).map((hours) => hours * HOUR_MS)
      fc.assert(
        fc.property(instants(name), steps, width, (start, steps, width) => {
          let time = start
          const times = steps.map(([step]) => (time += step))
          const records = steps.map(([, x], at) =>
            at % 3 === 0 ? { y: x, time: '' } : { x, time: '' },
          ) as never[]
          const buckets = new Periods(width, clock)

          const gatherer = new BucketBuilder(buckets)
          for (const hour of summarizeRecords(records, times, new Periods(HOUR_MS, clock)))
            gatherer.add(hour)

          assert.deepEqual(gatherer.buckets, summarizeRecords(records, times, buckets))
        }),
        { numRuns: runs(100) },
      )
    })
})

const itemOf = (...values: number[]): ItemSummary => ({
  minimum: Math.min(...values),
  maximum: Math.max(...values),
  sum: values.reduce((sum, value) => sum + value),
  count: values.length,
  first: values[0]!,
  last: values.at(-1)!,
})

describe('a mean', () => {
  test('is the sum by the count', () => {
    assert.equal(meanOf(itemOf(1, 2, 6)), 3)
  })

  test('is never below the minimum nor above the maximum, and always a number', () => {
    assert.equal(meanOf(itemOf(...Array.from({ length: 6 }, () => 0.1))), 0.1)
    assert.equal(meanOf(itemOf(1.5e308, 1.5e308)), 1.5e308)
    assert.equal(meanOf({ ...itemOf(-1e308, 1e308), sum: NaN }), -1e308)
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })
    fc.assert(
      fc.property(values, (list) => {
        const item = itemOf(...list)
        const mean = meanOf(item)
        assert.ok(mean >= item.minimum && mean <= item.maximum)
      }),
    )
  })
})
