import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Papa from 'papaparse'
import { splitFields } from './fields.ts'

test('quoted fields may hold the delimiter and a doubled quote', () => {
  assert.deepEqual(splitFields('"2009-11-30 22:00:00",27411,"a,""b""",', ','), [
    '2009-11-30 22:00:00',
    '27411',
    'a,"b"',
    '',
  ])
  assert.deepEqual(splitFields('5" pipe;1', ';'), ['5" pipe', '1'])
  assert.deepEqual(splitFields('  1 \t 2 3 ', 'blanks'), ['1', '2', '3'])
})

test('a quote that is not closed, or not followed by a delimiter, is named with its column', () => {
  assert.deepEqual(splitFields('1,"2009-11-30 22:0', ','), {
    reason: 'column 2 has a quote without an end',
  })
  assert.deepEqual(splitFields('"a"b,1', ','), {
    reason: 'column 1 goes on after its closing quote',
  })
})

test('what is written as CSV is read as it was, and as another reader reads it', () => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', ' ', '1', '.', 'é') })
  fc.assert(
    fc.property(
      fc.array(field, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(',', ';', '\t'),
      fc.boolean(),
      (fields, delimiter, quotes) => {
        const text = Papa.unparse([fields], { delimiter, quotes })

        assert.deepEqual(splitFields(text, delimiter), fields)
        assert.deepEqual(Papa.parse(text, { delimiter }).data[0] ?? [''], fields)
      },
    ),
  )
})
