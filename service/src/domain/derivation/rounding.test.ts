import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { roundToPrecision } from './rounding.ts'

describe('a value rounded to a precision', () => {
  test('keeps one digit more than the precision has', () => {
    const rows: [precision: number, expected: number][] = [
      [0.0001, 1234.56789],
      [0.001, 1234.5679],
      [0.01, 1234.568],
      [0.1, 1234.57],
      [0.2, 1234.57],
      [0.5, 1234.57],
      [0.25, 1234.568],
      [1, 1234.6],
      [5, 1234.6],
      [25, 1234.6],
      [12.5, 1234.57],
      [10, 1235],
      [100, 1230],
      [1000, 1200],
      [1e5, 0],
      [1e6, 0],
    ]
    for (const [precision, expected] of rows) {
      assert.equal(roundToPrecision(1234.56789, precision), expected, `precision ${precision}`)
      assert.equal(roundToPrecision(-1234.56789, precision), expected === 0 ? 0 : -expected)
    }
  })

  test('has half rounded away from zero, as it is written in decimals', () => {
    const rows: [value: number, expected: number][] = [
      [1.005, 1.01],
      [-1.005, -1.01],
      [8.345, 8.35],
      [0.285, 0.29],
      [2.675, 2.68],
      [1.004999999999999, 1],
      [0.005, 0.01],
      [0.0049, 0],
      [9.995, 10],
      [99.995, 100],
      [4503599627370.005, 4503599627370.01],
    ]
    for (const [value, expected] of rows) assert.equal(roundToPrecision(value, 0.1), expected)
  })

  test('is right as close to half as decimals go', () => {
    const steps = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1e11 }))
    const property = fc.property(steps, fc.integer({ min: 0, max: 6 }), (n, places) => {
      const precision = Number(`1e${1 - places}`)
      const above = Number(`${n + 1}e${-places}`)
      assert.equal(roundToPrecision(Number(`${n}5e${-places - 1}`), precision), above)
      assert.equal(roundToPrecision(Number(`${n}5001e${-places - 4}`), precision), above)
      const below = Number(`${n}e${-places}`)
      assert.equal(roundToPrecision(Number(`${n}4999e${-places - 4}`), precision), below)
      assert.equal(roundToPrecision(below, precision), below)
    })
    fc.assert(property, { numRuns: runs(3000) })
  })

  test('carries into a new digit', () => {
    assert.equal(roundToPrecision(50_000, 1e5), 50_000)
    assert.equal(roundToPrecision(5000, 1e5), 10_000)
    assert.equal(roundToPrecision(4999, 1e5), 0)
    assert.equal(roundToPrecision(999.96, 1), 1000)
  })

  test('may be huge or tiny', () => {
    assert.equal(roundToPrecision(1.7976931348623157e308, 0.1), 1.7976931348623157e308)
    assert.equal(roundToPrecision(123_456_789_012_345_680_000, 0.001), 123456789012345680000)
    assert.equal(roundToPrecision(5e-324, 0.1), 0)
    assert.equal(roundToPrecision(1.26e-7, 1e-7), 1.3e-7)
    assert.equal(roundToPrecision(1, 5e-324), 1)
    assert.equal(roundToPrecision(1, 1e308), 0)
  })

  test('is never minus zero', () => {
    for (const value of [-0, -0.001, -1e-300]) {
      assert.ok(Object.is(roundToPrecision(value, 0.1), 0), String(value))
    }
    assert.ok(Object.is(roundToPrecision(-0, NaN), 0))
  })

  test('is left as it is without a usable precision', () => {
    for (const precision of [0, -1, NaN, Infinity]) {
      assert.equal(roundToPrecision(1.23456, precision), 1.23456)
    }
    assert.equal(roundToPrecision(Infinity, 0.1), Infinity)
    assert.ok(Number.isNaN(roundToPrecision(NaN, 0.1)))
  })

  test('is the nearest of the values with its decimals', () => {
    const precision = fc.integer({ min: -6, max: 3 }).map((exponent) => Number(`1e${exponent}`))
    const value = fc.oneof(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 10_000),
    )
    const property = fc.property(value, precision, (value, precision) => {
      const rounded = roundToPrecision(value, precision)
      const step = precision / 10
      assert.ok(Math.abs(rounded - value) <= (step / 2) * (1 + 1e-9) + Math.abs(value) * 1e-15)
      assert.equal(roundToPrecision(rounded, precision), rounded)
      assert.equal(roundToPrecision(-value, precision), rounded === 0 ? 0 : -rounded)
      const decimals = Math.max(0, 1 - Math.round(Math.log10(precision)))
      assert.equal(Number(rounded.toFixed(decimals)), rounded)
    })
    fc.assert(property, { numRuns: runs(2000) })
  })
})
