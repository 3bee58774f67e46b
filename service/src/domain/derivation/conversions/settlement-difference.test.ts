import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { subtractBase } from './settlement-difference.ts'

const point = (name: string, value: number | undefined, isBase = false) => ({ name, value, isBase })

describe('the settlement of a group', () => {
  test('is the value of a station less that of the base point', () => {
    // 12.5 - 10 = 2.5, 10 - 10 = 0, 7.25 - 10 = -2.75
    assert.deepEqual(
      subtractBase([point('H-1', 12.5), point('H-0', 10, true), point('H-2', 7.25)]),
      [{ value: 2.5 }, { value: 0 }, { value: -2.75 }],
    )
  })

  test('is absent at a station without a value, and only there', () => {
    assert.deepEqual(
      subtractBase([point('H-1', undefined), point('H-0', 10, true), point('H-2', 7)]),
      [{ absent: 'H-1 has no value' }, { value: 0 }, { value: -3 }],
    )
  })

  test('is absent everywhere without the one base point', () => {
    const absentOf = (...points: ReturnType<typeof point>[]) =>
      new Set(subtractBase(points).map(({ absent }) => absent))

    assert.deepEqual(
      absentOf(point('H-0', undefined, true), point('H-1', 3)),
      new Set(['the base point H-0 has no value']),
    )
    assert.deepEqual(absentOf(point('H-1', 3)), new Set(['the group has no base point']))
    assert.deepEqual(
      absentOf(point('H-0', 1, true), point('H-1', 3, true)),
      new Set(['H-0 and H-1 are both base points, expected one']),
    )
  })

  test('does not see a level that all have in common', () => {
    const integer = fc.integer({ min: -1e6, max: 1e6 })
    fc.assert(
      fc.property(fc.array(integer, { minLength: 1 }), integer, (values, level) => {
        const settle = (shift: number) =>
          subtractBase(values.map((value, i) => point(`H-${i}`, value + shift, i === 0)))
        assert.deepEqual(settle(level), settle(0))
      }),
    )
  })
})
