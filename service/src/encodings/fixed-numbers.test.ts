import assert from 'node:assert/strict'
import test from 'node:test'
import { fix, FixedNumbers } from './fixed-numbers.ts'

test('what is read of fixed numbers is a copy, in parts that join to all of them', () => {
  const numbers = new FixedNumbers(Float64Array.of(1, 2, 3, 4, 5))

  numbers.slice(0, 5).fill(9)
  for (const part of numbers.parts(2)) part.buffer.transfer(0)

  assert.deepEqual(
    [...numbers.parts(2)].map((part) => [...part]),
    [[1, 2], [3, 4], [5]],
  )
  assert.deepEqual(numbers.slice(1, 3), Float64Array.of(2, 3))
})

test('infinities and what is no number are not finite', () => {
  assert.equal(new FixedNumbers(Float64Array.of(1, -2)).areFinite(), true)
  for (const odd of [Infinity, -Infinity, NaN])
    assert.equal(new FixedNumbers(Float64Array.of(1, odd)).areFinite(), false)
})

test('nothing of a fixed value can be changed', () => {
  const value = fix({ stepHz: 2, peaks: [{ frequency: 1 }], none: [undefined] }) as any

  for (const change of [
    () => (value.stepHz = 1),
    () => (value.peaks[0].frequency = 2),
    () => value.peaks.push(1),
  ])
    assert.throws(change, TypeError)
  assert.deepEqual(value, { stepHz: 2, peaks: [{ frequency: 1 }], none: [undefined] })
})
