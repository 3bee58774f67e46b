import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalsOf, ticks, sharedDecimals } from './ticks.ts'

test('ticks are round, lie in their range and are few', () => {
  assert.deepEqual(ticks(0, 10, 6), [0, 2, 4, 6, 8, 10])
  assert.deepEqual(ticks(-0.3, 0.31, 5), [-0.2, 0, 0.2])
  assert.deepEqual(ticks(1e6, 1_000_000.5, 3), [1e6, 1_000_000.5])
  assert.deepEqual(ticks(5, 5, 4), [])
})

test('any range has one tick at most for each place', () => {
  const range = fc.tuple(
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
  )
  fc.assert(
    fc.property(range, fc.integer({ min: 2, max: 20 }), ([low, width], most) => {
      const found = ticks(low, low + width, most)
      assert.ok(found.length <= most + 1, `${found}`)
      assert.ok(found.every((tick, at) => at === 0 || tick > found[at - 1]!))
    }),
    { numRuns: 200 },
  )
})

test('a step is written with the decimals that it needs', () => {
  assert.deepEqual([5, 0.5, 0.02, 0.001].map(decimalsOf), [0, 1, 2, 3])
})

test('round numbers of one axis have the same decimals, as many as one of them needs', () => {
  assert.equal(sharedDecimals([0.009, 0.01, 0.011]), 3)
  assert.equal(sharedDecimals([1.0001, 1.0002]), 4)
  assert.equal(sharedDecimals([0, 2.5, 5]), 1)
  assert.equal(sharedDecimals([-100, 0, 100]), 0)
  assert.equal(sharedDecimals([0.1 + 0.2, 0.4]), 1)
  assert.equal(sharedDecimals([2e-7]), 7)
})
