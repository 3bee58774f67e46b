import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { RateLimit } from './rate-limit.ts'

/** One Mbit/s. */
const SECOND = 125_000

test('a rate at the limit passes for ever, one above it ends within the seconds of the average', () => {
  const steady = new RateLimit({ megabits: 1, seconds: 5 })
  for (let tick = 0; tick < 10_000; tick++)
    assert.equal(steady.isExceededBy(SECOND / 10, tick * 100), false)

  const fast = new RateLimit({ megabits: 1, seconds: 5 })
  for (let tick = 0; tick < 1_000; tick++) fast.isExceededBy(SECOND / 10, tick * 100)
  const isOver = Array.from({ length: 50 }, (_, tick) =>
    fast.isExceededBy((SECOND / 10) * 1.2, 100_000 + tick * 100),
  )
  assert.equal(isOver.at(-1), true)
})

test('a burst passes if it is small for the seconds of the average, once', () => {
  const limit = new RateLimit({ megabits: 1, seconds: 5 })

  assert.equal(limit.isExceededBy(5 * SECOND, 0), false)
  assert.equal(limit.isExceededBy(1, 4_499), true)
  assert.equal(limit.isExceededBy(5 * SECOND - 1, 5_000), false)
  assert.equal(limit.isExceededBy(5 * SECOND, 3_600_000), false)
})

test('counts what arrived within the seconds, whatever the pauses', () => {
  const arrivals = fc.array(fc.record({ pause: fc.nat(4_000), bytes: fc.nat(3 * SECOND) }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(arrivals, (arrivals) => {
      const limit = new RateLimit({ megabits: 1, seconds: 5 })
      const past: { slot: number; bytes: number }[] = []
      let now = 1_000_000
      for (const { pause, bytes } of arrivals) {
        now += pause
        const slot = Math.floor(now / 500)
        past.push({ slot, bytes })
        const sum = past.reduce((sum, one) => sum + (one.slot > slot - 10 ? one.bytes : 0), 0)
        assert.equal(limit.isExceededBy(bytes, now), sum > 5 * SECOND)
      }
    }),
    { numRuns: runs(2_000) },
  )
})
