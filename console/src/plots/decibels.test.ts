import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toDecibels } from './decibels.ts'

test('amplitudes have twenty logarithms, densities ten', () => {
  assert.deepEqual([...toDecibels([1, 10, 0.1], 20)], [0, 20, -20])
  assert.deepEqual([...toDecibels([1, 100], 10)], [0, 20])
})

test('nothing is endless: zeros lie 160 dB below the highest value', () => {
  assert.deepEqual([...toDecibels([0, 1], 20)].map(Math.round), [-160, 0])
  assert.deepEqual([...toDecibels([0, 0], 20)], [0, 0])
})
