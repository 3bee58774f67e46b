import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertLinear } from '../../../test/_growth.ts'
import { zone } from '../../domain/time/local-time.ts'
import { readAll, SENSOR } from './_read.ts'
import { Fields } from '../../encodings/csv/fields.ts'
import { Line } from '../../encodings/csv/line.ts'
import { LineSplitter } from '../../encodings/csv/lines.ts'
import { readMapping } from './mapping.ts'
import { readRow } from './read-rows.ts'
import { timeFormat } from './time-format.ts'

const MAPPING = `
format: csv
time: { column: time, format: 'DD.MM.YYYY HH:mm:ss[.S]' }
columns:
  - { column: temperature, sensor: ${SENSOR}, key: temperature }
`

const textsOf = (text: string, delimiter: string) => new Fields({ delimiter }).texts(Line.of(text))

function numbersOf(text: string): number[] {
  return [true, false].map((decimalComma) => {
    const fields = new Fields({ delimiter: ';', decimalComma })
    fields.split(Line.of(text))
    return fields.number(0)
  })
}

describe('files of rows that are made to be hard to read', () => {
  test('a line costs no more than its length', () => {
    assertLinear(
      {
        'an open quote': (size) => `"${'1'.repeat(size)}`,
        'doubled quotes': (size) => `"${'""'.repeat(size)}`,
        quotes: (size) => '"'.repeat(size),
        'quotes after delimiters': (size) => '"",'.repeat(size),
        delimiters: (size) => ','.repeat(size),
        blanks: (size) => ' '.repeat(size),
        'blanks and a quote': (size) => `${' '.repeat(size)}"`,
      },
      (text) => [textsOf(text, ','), textsOf(text, 'blanks'), textsOf(text, '§')],
    )
  })

  test('a header costs no more than its length', () => {
    const mapping = readMapping(MAPPING, 'm.yaml')
    assertLinear(
      {
        'columns of one name': (size) => 'a,'.repeat(size),
        'columns almost of the name': (size) =>
          Array.from({ length: size }, (_, at) => `temperatur${at % 10}`).join(),
        blanks: (size) => `time,${' '.repeat(size)}temperature`,
      },
      (header) => readRow('1', header, { mapping, zoneOf: () => zone('UTC') }),
    )
  })

  test('a time or a number costs no more than its length', () => {
    const format = timeFormat('DD.MM.YYYY HH:mm:ss[.S]')
    assertLinear(
      {
        'digits and a letter': (size) => `${'0'.repeat(size)}x`,
        'blanks in a time': (size) => `01.01.2026${' '.repeat(size)}x`,
        'digits of a fraction': (size) => `01.01.2026 00:00:00.${'0'.repeat(size)}x`,
        blanks: (size) => `${' '.repeat(size)}x`,
        commas: (size) => ','.repeat(size),
      },
      (text) => [format.parse(text), numbersOf(text)],
      { size: 20_000 },
    )
  })

  test('a form of times costs no more than its length', () => {
    assertLinear(
      {
        brackets: (size) => '['.repeat(size),
        'empty brackets': (size) => '[]'.repeat(size),
        'a unit again and again': (size) => 'HH:'.repeat(size),
        fractions: (size) => 'S'.repeat(size),
        blanks: (size) => ' '.repeat(size),
      },
      timeFormat,
    )
  })

  test('a file that is one line costs no more than its length, and is never kept whole', () => {
    assertLinear(
      { 'no line break': (size) => Buffer.alloc(size, 'a') },
      (bytes) => {
        const splitter = new LineSplitter({ encoding: 'utf-8', mostBytes: 16 * 1024 })
        for (let at = 0; at < bytes.length; at += 4096) splitter.push(bytes.subarray(at, at + 4096))
        return splitter.end()
      },
      { size: 1024 * 1024 },
    )
  })

  test('a line of more than 1048576 bytes is refused by that number', async () => {
    const text = `time,temperature\n${'1'.repeat(1024 * 1024 + 1)}\n`
    const [batch] = await readAll(text, MAPPING, { chunkBytes: 65_536 })

    assert.equal(batch?.rejected[0]?.reason, 'it is longer than 1048576 bytes')
  })
})
