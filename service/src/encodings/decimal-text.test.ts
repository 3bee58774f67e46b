import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../test/_growth.ts'
import { parseDecimalText } from './decimal-text.ts'

describe('a decimal number in text', () => {
  for (const [text, value] of [
    ['0', 0],
    ['-12', -12],
    ['+3.5', 3.5],
    ['5.', 5],
    ['.5', 0.5],
    ['1e3', 1000],
    ['1.5E-2', 0.015],
    ['007', 7],
  ] as const)
    test(`${text} is ${value}`, () => {
      assert.equal(parseDecimalText(text), value)
    })

  for (const text of [
    '',
    '.',
    '+',
    'e5',
    '1e',
    '1e+',
    '0x1F',
    '1 2',
    ' 1',
    '1\n',
    'Infinity',
    'NaN',
    '١',
  ])
    test(`${JSON.stringify(text)} is none`, () => {
      assert.equal(parseDecimalText(text), undefined)
    })

  test('every finite double is read as it is written', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        (value) => {
          assert.equal(parseDecimalText(String(value)), value)
        },
      ),
    )
  })

  test('the cost of a text that is none grows no faster than the text', () => {
    assertLinear(
      {
        'zeros and a letter': (size) => `${'0'.repeat(size)}x`,
        'zeros after a point and a letter': (size) => `0.${'0'.repeat(size)}x`,
        'zeros around a point and a letter': (size) => `${'0'.repeat(size)}.${'0'.repeat(size)}x`,
        'an exponent and a letter': (size) => `1e${'0'.repeat(size)}x`,
        signs: (size) => '+-'.repeat(size),
        points: (size) => '.'.repeat(size),
      },
      parseDecimalText,
    )
  })
})
