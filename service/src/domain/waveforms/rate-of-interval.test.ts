import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rateOfSingle, rateOfWritten, shortestDecimal } from './rate-of-interval.ts'

describe('a rate of a written interval', () => {
  test('is the whole number of hertz that alone rounds to it, or else its reciprocal', () => {
    for (const [text, sampleHz] of [
      [' 1.52588E-05', 65_536],
      ['5.00000E-005', 20_000],
      ['3.33333E-02', 30],
      ['.005', 200],
      ['.0333', 30],
      ['.012', 1 / 0.012],
      ['.004883', 1 / 0.004883],
      ['1.00020E-02', 1 / 0.010002],
      ['2', 0.5],
      ['1.0D-3', 1000],
    ] as const) {
      assert.equal(rateOfWritten(text), sampleHz, text)
    }
  })

  test('is any whole number of hertz up to 70,000 again, printed with six digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70_000 }), (sampleHz) => {
        assert.equal(rateOfWritten((1 / sampleHz).toExponential(5)), sampleHz)
      }),
    )
  })

  test('is no rate where the text is no interval', () => {
    for (const text of ['', 'x', '0', '-1', 'NaN']) {
      assert.ok(!(rateOfWritten(text) > 0 && rateOfWritten(text) < Infinity), text)
    }
  })
})

describe('a rate of an interval kept as a single', () => {
  test('is that of the decimal number that the single stands for', () => {
    for (const sampleHz of [50, 100, 12.5, 200, 3, 30, 65_536, 0.1, 1 / 60]) {
      const found = rateOfSingle(Math.fround(1 / sampleHz))

      assert.ok(Math.abs(found - sampleHz) <= 1e-7 * sampleHz, String(found))
      if (sampleHz >= 1) assert.equal(found, sampleHz)
    }
  })

  test('is of the shortest decimal, which is that single again', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (single) => {
        assert.ok(Math.fround(shortestDecimal(single)) === single)
      }),
    )
    assert.equal(shortestDecimal(Math.fround(0.02)), 0.02)
    assert.equal(shortestDecimal(Math.fround(1 / 3)), 0.33333334)
  })
})
