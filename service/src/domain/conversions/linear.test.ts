import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linear } from './linear.ts'

describe('the linear conversion', () => {
  test('is k(v - v0) + c', () => {
    // 2.5 (104 - 100) + 3 = 13
    assert.equal(linear.convert({ value: 104 }, { k: 2.5, v0: 100, c: 3 }), 13)
    // -0.5 (8 - 10) + 0.25 = 1.25
    assert.equal(linear.convert({ value: 8 }, { k: -0.5, v0: 10, c: 0.25 }), 1.25)
  })

  test('has v0 and c at 0 when they are left out', () => {
    assert.equal(linear.convert({ value: 4 }, { k: 2.5 }), 10)
  })

  test('gives nothing without a finite result', () => {
    assert.equal(linear.convert({}, { k: 1 }), undefined)
    assert.equal(linear.convert({ value: 1 }, {}), undefined)
    assert.equal(linear.convert({ value: NaN }, { k: 1 }), undefined)
    assert.equal(linear.convert({ value: 1e308 }, { k: 1e308 }), undefined)
  })
})
