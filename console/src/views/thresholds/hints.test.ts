import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findHiddenLevels } from './hints.ts'

const hidden = (levels: Record<string, string>) =>
  findHiddenLevels(Object.entries(levels).map(([level, value]) => ({ level, value })))

test('levels that rise outwards hide nothing', () => {
  assert.deepEqual(hidden({ 1: '(100,+)', 2: '(50,100)', 3: '(10,50)' }), [])
  assert.deepEqual(hidden({ 1: '(-,-10);(10,+)', 2: '(-,-5);(5,+)' }), [])
  assert.deepEqual(hidden({ 1: '(100,+)' }), [])
})

test('a level within severer ones is named with them', () => {
  assert.deepEqual(hidden({ 1: '(5,+)', 2: '(10,+)' }), [{ level: 2, by: [1] }])
  assert.deepEqual(hidden({ 3: '(2,8)', 1: '(5,+)', 2: '(0,5)' }), [{ level: 3, by: [1, 2] }])
  assert.deepEqual(hidden({ 3: '(7,8)', 1: '(5,+)', 2: '(0,5)' }), [{ level: 3, by: [1] }])
  assert.deepEqual(hidden({ 2: '（－，-5）；(5,＋)', 1: '(-,-4);(4,+)' }), [{ level: 2, by: [1] }])
})

test('what is not typed to its end hides nothing and is not hidden', () => {
  assert.deepEqual(hidden({ 1: '(5,', 2: '(10,+)' }), [])
  assert.deepEqual(hidden({ 1: '(5,+)', 2: '' }), [])
})

test('a level is hidden exactly where each of its values has a severer one', () => {
  const interval = fc
    .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 6 }))
    .map(([low, width]) => ({ low, high: low + width }))
  const intervals = fc.array(interval, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.array(intervals, { minLength: 2, maxLength: 4 }), (levels) => {
      const found = findHiddenLevels(
        levels.map((one, at) => ({
          level: String(at + 1),
          value: one.map(({ low, high }) => `(${low},${high})`).join(';'),
        })),
      ).map(({ level }) => level)
      const holds = (level: number, value: number) =>
        levels[level]!.some(({ low, high }) => value > low && value < high)
      // Between the ends, which are whole numbers.
      const values = Array.from({ length: 30 }, (_, at) => at - 12.5)
      const expected = levels.flatMap((_, level) =>
        values.every(
          (value) =>
            !holds(level, value) ||
            Array.from({ length: level }, (__, other) => other).some((one) => holds(one, value)),
        )
          ? [level + 1]
          : [],
      )
      assert.deepEqual(found, expected)
    }),
  )
})
