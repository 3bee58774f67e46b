import assert from 'node:assert/strict'
import { test } from 'node:test'
import { farLevels } from './bands.ts'

const band = (level: number, low: number, high: number) => ({ level, low, high, slot: undefined })
const values = { minimum: 0, maximum: 10 }

test('a level is far where it neither holds values nor begins near them', () => {
  assert.deepEqual(farLevels([band(1, 100, Infinity), band(2, 12, 20)], values), [1])
  assert.deepEqual(farLevels([band(1, -Infinity, Infinity)], values), [])
  assert.deepEqual(farLevels([band(1, -500, -100), band(1, 100, 500)], values), [1])
  assert.deepEqual(farLevels([band(1, -500, -100), band(1, 8, 500)], values), [])
  assert.deepEqual(farLevels([], values), [])
})

test('of a single value its size is the scale', () => {
  const still = { minimum: -480, maximum: -480 }
  assert.deepEqual(farLevels([band(1, 100, Infinity), band(3, 2000, Infinity)], still), [3])
})
