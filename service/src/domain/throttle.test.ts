import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Throttle } from './throttle.ts'

const SETTINGS = { limit: 3, windowSeconds: 60, capacity: 100 }
const NOON = Date.UTC(2026, 0, 1, 12)

describe('a throttle', () => {
  test('lets a key try until its failures reach the limit', () => {
    const throttle = new Throttle(SETTINGS)

    assert.equal(throttle.retryAfterSeconds('a', NOON), 0)
    throttle.fail('a', NOON)
    throttle.fail('a', NOON + 1)
    assert.equal(throttle.retryAfterSeconds('a', NOON + 2), 0)
    throttle.fail('a', NOON + 2)

    assert.equal(throttle.retryAfterSeconds('a', NOON + 2), 60)
    assert.equal(throttle.retryAfterSeconds('b', NOON + 2), 0)
  })

  test('opens again when the oldest counted failure is a window old', () => {
    const throttle = new Throttle(SETTINGS)
    for (const second of [0, 10, 20]) throttle.fail('a', NOON + second * 1000)

    assert.equal(throttle.retryAfterSeconds('a', NOON + 59_001), 1)
    assert.equal(throttle.retryAfterSeconds('a', NOON + 60_000), 0)
    assert.equal(throttle.retryAfterSeconds('a', NOON + 200_000), 0)
    throttle.fail('a', NOON + 60_000)
    assert.equal(throttle.retryAfterSeconds('a', NOON + 60_000), 10)
  })

  test('forgets the failures of a key that succeeds', () => {
    const throttle = new Throttle(SETTINGS)
    for (let n = 0; n < 3; n++) throttle.fail('a', NOON)
    throttle.succeed('a')

    assert.equal(throttle.retryAfterSeconds('a', NOON), 0)
    throttle.fail('a', NOON)
    assert.equal(throttle.retryAfterSeconds('a', NOON), 0)
  })

  test('closes a key for no longer than the window when the clock is set back', () => {
    const throttle = new Throttle(SETTINGS)
    for (let n = 0; n < 3; n++) throttle.fail('a', NOON)

    assert.equal(throttle.retryAfterSeconds('a', NOON - 86_400_000), 60)
  })

  test('drops the key that failed longest ago beyond its capacity', () => {
    const throttle = new Throttle({ limit: 1, windowSeconds: 60, capacity: 2 })
    for (const key of ['a', 'b', 'a', 'c']) throttle.fail(key, NOON)

    const closed = ['a', 'b', 'c'].map((key) => throttle.retryAfterSeconds(key, NOON) > 0)
    assert.deepEqual(closed, [true, false, true])
  })

  test('counts as a list of all failures would', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 40_000 }),
      key: fc.constantFrom('a', 'b'),
      action: fc.constantFrom('fail', 'fail', 'fail', 'succeed'),
    })
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const throttle = new Throttle(SETTINGS)
      const all: Record<string, number[]> = { a: [], b: [] }
      let now = NOON
      for (const { wait, key, action } of steps) {
        now += wait
        if (action === 'succeed') throttle.succeed(key)
        else throttle.fail(key, now)
        all[key] = action === 'succeed' ? [] : [...all[key]!, now]
        for (const one of ['a', 'b']) {
          const counted = all[one]!.filter((time) => now - time < 60_000)
          assert.equal(throttle.retryAfterSeconds(one, now) > 0, counted.length >= 3)
        }
      }
    })
    fc.assert(property)
  })
})
