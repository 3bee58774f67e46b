import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeCsv } from './csv.ts'

test('a chart becomes rows, and gaps are empty', () => {
  assert.equal(
    writeCsv(
      ['time', 'A (m)', 'B, "west"'],
      [0, 1.5],
      [
        [1, null],
        [undefined, -2],
      ],
    ),
    'time,A (m),"B, ""west"""\r\n1970-01-01 00:00:00,1,\r\n1970-01-01 00:00:01.500,,-2\r\n',
  )
})

test('no name is a formula', () => {
  assert.match(writeCsv(['time', '=1+1'], [], []), /^time,'=1\+1\r\n/)
})
