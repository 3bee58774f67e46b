import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readNumber } from './values.ts'

test('numbers are read as loggers write them, and nothing else is one', () => {
  for (const [text, value] of [
    ['.71077', 0.71077],
    ['-.05844', -0.05844],
    ['-1.163385E-05', -1.163385e-5],
    [' +7 ', 7],
    ['0', 0],
    ['-0.0', -0],
  ] as const)
    assert.equal(readNumber(text, false), value, text)
  for (const text of ['', ' ', '1,5', '1 000', '0x1F', '0b1', 'INF', 'Infinity', 'NaN', '1e999'])
    assert.equal(readNumber(text, false), undefined, text)
})

test('with a decimal comma a point is no number: it may have stood for thousands', () => {
  assert.equal(readNumber('1,5', true), 1.5)
  assert.equal(readNumber('1.234', true), undefined)
  assert.equal(readNumber('1.234,5', true), undefined)
})

test('every double is read back as it was written', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (any) => {
      // JavaScript writes minus zero as zero.
      const value = any + 0
      assert.equal(readNumber(String(value), false), value)
      assert.equal(readNumber(String(value).replace('.', ','), true), value)
    }),
  )
})
