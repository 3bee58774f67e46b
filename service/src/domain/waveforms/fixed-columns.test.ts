import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { refusal } from './_damage.ts'
import { latin1 } from './_test-files.ts'
import { parseColumnFormat, readColumns } from './fixed-columns.ts'
import { TextLines } from './text-lines.ts'

const FORMAT = { perLine: 3, width: 8 }
const read = (text: string, count: number, format = FORMAT): number[] => [
  ...readColumns(new TextLines(latin1(text)), count, format),
]

describe('a Fortran format', () => {
  test('says how many numbers of how many columns a line has', () => {
    for (const [text, perLine, width] of [
      ['(8f10.6)', 8, 10],
      ['(1I8)', 1, 8],
      [' (5F15.6) ', 5, 15],
      ['(6E12.3)', 6, 12],
      ['(1P6E13.5)', 6, 13],
      ['(F10.3)', 1, 10],
    ] as const) {
      assert.deepEqual(parseColumnFormat(text), { perLine, width }, text)
    }
    for (const text of [
      '',
      '()',
      '(8a10)',
      '(0f8.3)',
      '(8f0.1)',
      '8f10.6,3x',
      '*',
      '(99999f8.1)',
    ]) {
      assert.equal(parseColumnFormat(text), undefined, text)
    }
  })
})

describe('numbers in fixed columns', () => {
  test('are read again, with any line end, and a short last line', () => {
    const values = fc.array(fc.integer({ min: -999_999, max: 9_999_999 }), { minLength: 1 })
    fc.assert(
      fc.property(values, fc.constantFrom('\n', '\r\n', '   \n'), (values, end) => {
        let text = ''
        for (const [at, value] of values.entries()) {
          text += String(value).padStart(8) + (at % 3 === 2 || at === values.length - 1 ? end : '')
        }

        assert.deepEqual(read(text, values.length), values)
      }),
    )
  })

  test('need no blanks between them', () => {
    assert.deepEqual(read('-1.00000-2.00000 3.00000\n', 3), [-1, -2, 3])
  })

  test('are refused by line and column where one is none', () => {
    for (const [text, message] of [
      ['       1       2      ab\n', /^line 1, column 17: "      ab", expected a finite number/],
      ['       1               3\n', /^line 1, column 9/],
      ['       1********       3\n', /^line 1, column 9/],
      ['       1     NaN       3\n', /^line 1, column 9/],
      ['       1   1e999       3\n', /^line 1, column 9/],
      ['       1       2\n        3\n', /^line 1 has 2 numbers, expected 3/],
      ['       1       2       3 4\n', /^line 1 continues with " 4", expected its end after 3/],
      ['       1       2\n', /^line 1 has 2 numbers, expected 3/],
    ] as const) {
      assert.throws(() => read(text, 3), refusal(message))
    }
    assert.throws(() => read('       1       2       3\n', 4), refusal(/ends after 3 of 4/))
  })

  test('are refused before room is made for more of them than bytes follow', () => {
    const message = /^line 0: 1000000000000 numbers are announced, but only 9 bytes follow/
    assert.throws(() => read('       1\n', 1e12), refusal(message))
  })
})
