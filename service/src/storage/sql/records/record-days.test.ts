import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DayCount } from '../../../domain/retention/retention-share.ts'
import { dayCounts, planSpans } from './record-days.ts'

const DAY = 86_400_000

test('days are read together up to the maximum', () => {
  const days: DayCount[] = [
    [0, 1440],
    [1, 1440],
    [2, 1440],
  ]

  assert.deepEqual(planSpans(0, 3 * DAY - 1, days, 3000), [
    { from: 0, to: 2 * DAY - 1, isDense: false },
    { from: 2 * DAY, to: 3 * DAY - 1, isDense: false },
  ])
})

test('a day with more than the maximum stands alone and is dense', () => {
  const days: DayCount[] = [
    [0, 10],
    [1, 864_000],
    [2, 10],
  ]

  assert.deepEqual(planSpans(0, 3 * DAY - 1, days, 3000), [
    { from: 0, to: DAY - 1, isDense: false },
    { from: DAY, to: 2 * DAY - 1, isDense: true },
    { from: 2 * DAY, to: 3 * DAY - 1, isDense: false },
  ])
})

test('without any count the window is one span', () => {
  assert.deepEqual(planSpans(5, 10, [], 3000), [{ from: 5, to: 10, isDense: false }])
})

test('the spans cover any window in order and without gaps, whatever the counts are', () => {
  const instant = fc.integer({ min: -50 * DAY, max: 50 * DAY })
  const counts = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(9000)))

  fc.assert(
    fc.property(instant, fc.nat(90 * DAY), counts, (from, length, given) => {
      const to = from + length
      const days = [...new Map(given)]
        .filter(([day]) => day >= Math.floor(from / DAY) && day <= Math.floor(to / DAY))
        .toSorted(([one], [other]) => one - other)

      const spans = planSpans(from, to, days, 3000)

      assert.equal(spans[0]?.from, from)
      assert.equal(spans.at(-1)?.to, to)
      for (const [index, span] of spans.entries()) {
        assert.ok(span.from <= span.to)
        if (index > 0) assert.equal(span.from, spans[index - 1]!.to + 1)
      }
    }),
  )
})

test('records count for their source and day in any order', () => {
  const instant = fc.integer({ min: -2 * DAY, max: 2 * DAY })
  const row = fc.tuple(fc.integer({ min: 1, max: 3 }), instant)
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), (rows) => {
      const sources = rows.map(([source]) => source)
      const times = rows.map(([, time]) => time)
      const { values, width } = dayCounts({ isRemote: false }, 'theme', {
        sources,
        times,
        records: [],
      })

      const found = Array.from({ length: values.length / width }, (_, at) =>
        values.slice(at * width, at * width + 3).join(),
      )
      const days = rows.map(([source, time]) => `${source},${Math.floor(time / DAY)}`)
      const expected = Map.groupBy(days, (day) => day)
      assert.deepEqual(
        found.toSorted(),
        Array.from(expected, ([day, { length }]) => `${day},${length}`).toSorted(),
      )
    }),
  )
})
