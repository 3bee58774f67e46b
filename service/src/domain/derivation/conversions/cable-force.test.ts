import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const KIND = 'cableForce'

describe('the force of a cable', () => {
  test('is 4 m L² (f / n)²', () => {
    // 4 · 50 · 100² · (1.5 / 1)² = 2000000 · 2.25 = 4500000 N = 4500 kN
    const cable = { mass: 50, length: 100, order: 1 }
    assert.equal(compute(KIND, { ...cable, unit: 'N' }, { frequency: 1.5 }), 4_500_000)
    assert.equal(compute(KIND, { ...cable, unit: 'kN' }, { frequency: 1.5 }), 4500)
    // 4 · 50 · 100² · (4.5 / 3)² = the same from the third frequency
    assert.ok(isClose(compute(KIND, { ...cable, order: 3, unit: 'kN' }, { frequency: 4.5 }), 4500))
  })

  test('is nothing without a frequency', () => {
    assert.equal(compute(KIND, { mass: 1, length: 1, order: 1, unit: 'N' }, {}), undefined)
  })

  test('is the same from every frequency of a string, whose orders are multiples', () => {
    const lowest = fc.double({ min: 0.1, max: 20, noNaN: true })
    fc.assert(
      fc.property(lowest, fc.integer({ min: 1, max: 12 }), (lowest, order) => {
        const cable = { mass: 61.3, length: 87.5, unit: 'kN' }
        const first = compute(KIND, { ...cable, order: 1 }, { frequency: lowest })!
        const other = compute(KIND, { ...cable, order }, { frequency: lowest * order })
        assert.ok(isClose(other, first))
      }),
    )
  })
})
