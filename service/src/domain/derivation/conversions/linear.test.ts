import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const number = fc.double({ min: -1e6, max: 1e6, noNaN: true })

describe('the linear conversion', () => {
  test('is k(v - v0) + c', () => {
    // 2.5 (104 - 100) + 3 = 13
    assert.equal(compute('linear', { k: 2.5, v0: 100, c: 3 }, { value: 104 }), 13)
    // -0.5 (8 - 10) + 0.25 = 1.25
    assert.equal(compute('linear', { k: -0.5, v0: 10, c: 0.25 }, { value: 8 }), 1.25)
  })

  test('has v0 and c at 0 when they are left out', () => {
    assert.equal(compute('linear', { k: 2.5 }, { value: 4 }), 10)
  })

  test('gives nothing without a finite result', () => {
    assert.equal(compute('linear', { k: 1 }, {}), undefined)
    assert.equal(compute('linear', { k: 1 }, { value: Infinity }), undefined)
    assert.equal(compute('linear', { k: 1e308 }, { value: 1e308 }), undefined)
  })

  test('is undone by the one with 1/k, v0 and c changing places', () => {
    const factor = fc.double({ min: 1e-3, max: 1e3, noNaN: true })
    fc.assert(
      fc.property(factor, number, number, number, (k, v0, c, value) => {
        const there = compute('linear', { k, v0, c }, { value })!
        const back = compute('linear', { k: 1 / k, v0: c, c: v0 }, { value: there })
        assert.ok(isClose(back, value, 1e7 * (1 + 1 / k)))
      }),
    )
  })
})
