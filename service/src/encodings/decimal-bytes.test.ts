import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { parseDecimal } from './decimal-bytes.ts'

const parse = (text: string, form?: Parameters<typeof parseDecimal>[3]): number => {
  const bytes = Buffer.from(text, 'latin1')
  return parseDecimal(bytes, 0, bytes.length, form)
}

const double = fc.double({ noNaN: true, noDefaultInfinity: true })
const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25 })
const written = fc
  .tuple(fc.constantFrom('', '-', '+'), digits, digits, fc.integer({ min: -330, max: 320 }))
  .map(([sign, whole, fraction, exponent]) => `${sign}${whole}.${fraction}e${exponent}`)

describe('a decimal number in bytes', () => {
  test('is the double that Number gives, however it is written', () => {
    const text = fc.oneof(
      written,
      double.map(String),
      double.map((value) => value.toExponential(5)),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value.toFixed(6)),
    )
    fc.assert(
      fc.property(text, (text) => assert.equal(parse(` ${text} `), Number(text))),
      { numRuns: runs(3000) },
    )
  })

  test('may lack the digits before or behind its point', () => {
    for (const [text, value] of [
      ['-.000094', -0.000094],
      ['5.', 5],
      ['+7', 7],
      ['-0', -0],
      ['1e999', Infinity],
      ['1e99999999999999999999', Infinity],
    ] as const) {
      assert.equal(parse(text), value, text)
    }
  })

  test('has an exponent as Fortran prints it only where that is asked for', () => {
    for (const [text, value] of [
      ['1.5D+02', 150],
      ['1.5d2', 150],
      ['1.5-102', 1.5e-102],
      ['2.5+3', 2500],
    ] as const) {
      assert.equal(parse(text, { exponents: 'fortran' }), value, text)
      assert.ok(Number.isNaN(parse(text)), text)
    }
  })

  test('has the decimal sign that is given', () => {
    assert.equal(parse('-1,25', { point: 44 }), -1.25)
    assert.equal(parse('1,0000000000000000000001', { point: 44 }), 1)
    assert.ok(Number.isNaN(parse('1.25', { point: 44 })))
  })

  test('is NaN when it is anything else', () => {
    const others = [
      '',
      ' ',
      '.',
      '-',
      '+-1',
      '1e',
      '1e+',
      'e5',
      '1 2',
      '0x10',
      '1_0',
      '1.2.3',
      '***',
    ]
    for (const text of [...others, 'NaN', 'Infinity', '1e5x', '--1', '1,5', '12a']) {
      assert.ok(Number.isNaN(parse(text)), text)
    }
  })

  test('ends where its column ends', () => {
    assert.equal(parseDecimal(Buffer.from('12345678'), 2, 5), 345)
  })
})
