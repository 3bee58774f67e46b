import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingAt, fit, shift, zoom } from './window.ts'

const hour = { from: 7200, to: 10_800 }

test('zooming keeps the place of the cursor', () => {
  assert.deepEqual(zoom(hour, 0.5, 7200), { from: 7200, to: 9000 })
  assert.deepEqual(zoom(hour, 2), { from: 5400, to: 12_600 })
})

test('zooming ends at hundredths of a second', () => {
  const { from, to } = zoom({ from: 1, to: 1.02 }, 0.001)

  assert.ok(to - from >= 0.01 && to - from < 0.013)
})

test('a shift moves by parts of the length', () => {
  assert.deepEqual(shift(hour, -0.5), { from: 5400, to: 9000 })
})

test('a window of the newest record ends with it', () => {
  assert.deepEqual(endingAt(10_800.4, 3600), { from: 7200, to: 10_801 })
})

test('a window with little in it is made shorter, one that is filled stays', () => {
  assert.deepEqual(fit({ from: 0, to: 100_000 }, 50_000, 51_000), { from: 49_980, to: 51_020 })
  assert.deepEqual(fit(hour, 7200, 9900), hour)
  assert.deepEqual(fit(hour, Infinity, -Infinity), hour)
})
