import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  CONTENT_MAXIMUM,
  describeReturnToNormal,
  describeViolations,
  formatValue,
  toLine,
} from './alarm-content.ts'

const ITEMS = [
  { key: 'strain', name: '应变', unit: 'με' },
  { key: 'force', name: 'Cable force', unit: 'kN' },
]

test('a content names each item with its value, unit, level and limit', () => {
  const violations = [
    { item: 'strain', level: 1, limit: 'threshold (300,+)' },
    { item: 'force', level: 2, limit: 'threshold (-,1000)' },
  ]

  assert.equal(
    describeViolations(violations, ITEMS, [312.5, 998]),
    '应变: 312.5με, level 1 threshold (300,+); Cable force: 998kN, level 2 threshold (-,1000)',
  )
})

test('the end of an alarm names the values that are back', () => {
  assert.equal(
    describeReturnToNormal(['force', 'strain'], ITEMS, [null, 1200]),
    'back to normal: Cable force: 1200kN; 应变: no value',
  )
})

test('a number is shown without what the last bits of a double add', () => {
  assert.equal(formatValue(0.1 + 0.2), '0.3')
  assert.equal(formatValue(-478.41), '-478.41')
  assert.equal(formatValue(1e21), '1e+21')
})

test('a long text is cut between characters, and stays on one line', () => {
  assert.equal(toLine('a\nb\u2028c', 10), 'a b c')
  assert.equal(toLine('应变应变应变', 4), '应变应…')
  assert.equal(toLine('🌉🌉🌉', 2), '🌉…')
})

test('what does not fit is counted', () => {
  const items = Array.from({ length: 40 }, (_, n) => ({
    key: `k${n}`,
    name: `Item ${n}`,
    unit: '',
  }))
  const violations = items.map(({ key }) => ({ item: key, level: 1, limit: 'threshold (0,+)' }))

  const text = describeViolations(
    violations,
    items,
    items.map(() => 1),
  )

  const told = text.split('; ')
  assert.equal(told.at(-1), `and ${40 - (told.length - 1)} more`)
})

test('no content is longer than the maximum, nor holds half a character', () => {
  const violation = fc.record({
    item: fc.constantFrom('strain', 'force', 'gone'),
    level: fc.integer({ min: 1, max: 99 }),
    limit: fc.string({ unit: 'grapheme', maxLength: 700 }),
  })
  const name = fc.string({ unit: 'grapheme', maxLength: 900 })
  const property = fc.property(
    fc.array(violation, { minLength: 1 }),
    name,
    name,
    (violations, name, unit) => {
      const items = ITEMS.map((item) => ({ ...item, name, unit }))

      const text = describeViolations(violations, items, [1, 2])

      assert.ok(Array.from(text).length <= CONTENT_MAXIMUM)
      assert.ok(text.isWellFormed())
    },
  )
  fc.assert(property)
})
