import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const number = fc.double({ min: -1e3, max: 1e3, noNaN: true })
const curve = fc
  .array(number, { minLength: 1, maxLength: 10 })
  .map((all) => Object.fromEntries(all.map((c, power) => [`c${power}`, c])))

describe('the polynomial conversion', () => {
  test('is the sum of c_i v^i', () => {
    // 1 + 2·3 + 0.5·3² - 0.25·3³ = 1 + 6 + 4.5 - 6.75 = 4.75
    const parameters = { c0: 1, c1: 2, c2: 0.5, c3: -0.25 }
    assert.equal(compute('polynomial', parameters, { value: 3 }), 4.75)
  })

  test('has 0 for every coefficient that is left out, up to c9', () => {
    // 2·(-2)^9 = -1024
    assert.equal(compute('polynomial', { c9: 2 }, { value: -2 }), -1024)
    assert.equal(compute('polynomial', { c0: 7 }, { value: -2 }), 7)
  })

  test('gives nothing without a finite reading', () => {
    assert.equal(compute('polynomial', { c0: 7 }, {}), undefined)
    assert.equal(compute('polynomial', { c0: 7 }, { value: Infinity }), undefined)
    assert.equal(compute('polynomial', { c2: 1 }, { value: 1e200 }), undefined)
  })

  test('of degree 1 is a linear one', () => {
    fc.assert(
      fc.property(number, number, number, (c0, c1, value) => {
        const line = compute('linear', { k: c1, c: c0 }, { value })
        assert.ok(isClose(compute('polynomial', { c0, c1 }, { value }), line!, 1e6))
      }),
    )
  })

  test('adds up: the coefficients of two curves give the sum of the two', () => {
    const value = fc.double({ min: -2, max: 2, noNaN: true })
    fc.assert(
      fc.property(curve, curve, value, (a, b, value) => {
        const both: Record<string, number> = { ...a }
        for (const [name, c] of Object.entries(b)) both[name] = (both[name] ?? 0) + c
        const [one, other, sum] = [a, b, both].map((c) => compute('polynomial', c, { value })!)
        assert.ok(isClose(sum, one! + other!, 1e6))
      }),
    )
  })
})
