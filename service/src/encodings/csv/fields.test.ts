import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import Papa from 'papaparse'
import type { Encoding } from '../character-encoding.ts'
import { Fields, type FieldOptions } from './fields.ts'
import { Line } from './line.ts'
import { LineSplitter } from './lines.ts'

const split = (text: string, delimiter: string) => new Fields({ delimiter }).texts(Line.of(text))

function splitBytes(bytes: Uint8Array, encoding: Encoding, delimiter: string) {
  const line = new LineSplitter({ encoding }).push(bytes)[0]
  assert.ok(line !== undefined)
  return new Fields({ delimiter }).texts(line)
}

function numberIn(text: string, options: Partial<FieldOptions> = {}): number {
  const fields = new Fields({ delimiter: ';', ...options })
  assert.equal(fields.split(Line.of(text)), undefined)
  return fields.number(0)
}

describe('fields', () => {
  test('in quotes may hold the delimiter and a doubled quote', () => {
    assert.deepEqual(split('"2009-11-30 22:00:00",27411,"a,""b""",', ','), [
      '2009-11-30 22:00:00',
      '27411',
      'a,"b"',
      '',
    ])
    assert.deepEqual(split('5"" pipe;1', ';'), ['5"" pipe', '1'])
  })

  test('may be apart by any number of blanks and tabs', () => {
    assert.deepEqual(split('  1 \t 2 3 ', 'blanks'), ['1', '2', '3'])
    assert.deepEqual(split('"a b" c', 'blanks'), ['a b', 'c'])
    assert.deepEqual(split(' \t', 'blanks'), [''])
  })

  test('with a quote that is not closed, or not followed by a delimiter, are named by column', () => {
    assert.equal(split('1,"2009-11-30 22:0', ','), 'column 2 has an unclosed quotation mark')
    assert.equal(split('"a"b,1', ','), 'column 1 continues after its closing quote')
  })

  test('are apart by any character, however its encoding writes it', () => {
    assert.deepEqual(splitBytes(Buffer.from('1§2§é\n'), 'utf-8', '§'), ['1', '2', 'é'])
    assert.deepEqual(splitBytes(Buffer.from('1§2§é\n', 'latin1'), 'latin1', '§'), ['1', '2', 'é'])
    assert.deepEqual(splitBytes(Buffer.from([49, 0x80, 50, 10]), 'windows-1252', '€'), ['1', '2'])
    assert.deepEqual(splitBytes(Buffer.from('1€2\n', 'utf16le'), 'utf-16le', '€'), ['1', '2'])
    assert.deepEqual(splitBytes(Buffer.from('1,2\n', 'latin1'), 'latin1', '€'), ['1,2'])
  })

  test('are UTF-8 where their bytes are that, or else Windows-1252, with the encoding auto', () => {
    const bytes = Buffer.concat([Buffer.from('°'), Buffer.from([59, 0xb0, 59, 0x80, 10])])

    assert.deepEqual(splitBytes(bytes, 'auto', ';'), ['°', '°', '€'])
  })

  test('are read as they were written, and as another reader reads them', () => {
    const field = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', ' ', '1', '.', 'é') })
    fc.assert(
      fc.property(
        fc.array(field, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(',', ';', '\t'),
        fc.boolean(),
        (fields, delimiter, quotes) => {
          const text = Papa.unparse([fields], { delimiter, quotes })

          assert.deepEqual(split(text, delimiter), fields)
          assert.deepEqual(Papa.parse(text, { delimiter }).data[0] ?? [''], fields)
        },
      ),
    )
  })
})

describe('numbers in fields', () => {
  test('are read as loggers write them, and nothing else is one', () => {
    for (const [text, value] of [
      ['.71077', 0.71077],
      ['-.05844', -0.05844],
      ['-1.163385E-05', -1.163385e-5],
      [' +7 ', 7],
      ['\u{a0}7\u{2003}', 7],
      ['"7"', 7],
      ['0', 0],
      ['-0.0', -0],
    ] as const)
      assert.equal(numberIn(text), value, text)
    for (const text of ['', ' ', '1,5', '1 000', '0x1F', '0b1', 'INF', 'Infinity', 'NaN', '1e999'])
      assert.ok(!Number.isFinite(numberIn(text)), text)
    for (const text of ['1D5', '1.5-3', '2026-01', '1_000']) assert.ok(Number.isNaN(numberIn(text)))
  })

  test('with a decimal comma have no point: it may have stood for thousands', () => {
    assert.equal(numberIn('1,5', { decimalComma: true }), 1.5)
    assert.ok(Number.isNaN(numberIn('1.234', { decimalComma: true })))
    assert.ok(Number.isNaN(numberIn('1.234,5', { decimalComma: true })))
  })

  test('are the doubles that were written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (any) => {
        // JavaScript writes minus zero as zero.
        const value = any + 0
        assert.equal(numberIn(String(value)), value)
        assert.equal(numberIn(String(value).replace('.', ','), { decimalComma: true }), value)
      }),
    )
  })
})
