import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dailyShare, type DayCount } from './retention-share.ts'

const DAY = 86_400_000

test('a share of all records may go, whole days of it', () => {
  const counts = Array.from({ length: 100 }, (_, day): DayCount => [day, 10])

  assert.deepEqual(dailyShare(counts, 0.05), { records: 50, until: 5 * DAY })
})

test('two days may go where a share is less', () => {
  const counts: DayCount[] = [
    [3, 10],
    [9, 10],
    [10, 10],
  ]

  assert.deepEqual(dailyShare(counts, 0.05), { records: 20, until: 10 * DAY })
})

test('days of several sources count together', () => {
  const counts: DayCount[] = [
    [2, 1],
    [1, 4],
    [1, 3],
    [3, 9],
  ]

  assert.deepEqual(dailyShare(counts, 0), { records: 8, until: 3 * DAY })
})

test('of nothing nothing goes', () => {
  assert.deepEqual(dailyShare([], 0.05), { records: 0, until: -Infinity })
})

test('however records lie, no more lie before the instant than may go, and two days always do', () => {
  const day = fc.tuple(fc.integer({ min: -9, max: 400 }), fc.integer({ min: 0, max: 99 }))
  fc.assert(
    fc.property(fc.array(day), fc.double({ min: 0, max: 1, noNaN: true }), (counts, share) => {
      const { records, until } = dailyShare(counts, share)

      const before = counts.filter(([day]) => day * DAY < until)
      const gone = before.reduce((sum, [, count]) => sum + count, 0)
      const total = counts.reduce((sum, [, count]) => sum + count, 0)
      const days = new Set(counts.filter(([, count]) => count > 0).map(([day]) => day))
      assert.ok(gone <= records && records <= total)
      assert.ok(gone >= Math.min(2, days.size))
    }),
  )
})
