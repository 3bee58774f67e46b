import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOfLines, writeCsv, type CsvWords } from './csv.ts'

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

const WORDS: CsvWords = {
  time: 'time',
  summaryTime: 'start',
  meanOf: (name) => `${name} mean`,
  smallestOf: (name) => `${name} min`,
  largestOf: (name) => `${name} max`,
}

const line = (name: string, times: number[], mean: (number | null)[]) => ({
  line: { name, unit: 'm' },
  points: { times, low: mean, mean, high: mean },
})

test('lines share the rows of their times, and a time without a value has none', () => {
  assert.equal(
    csvOfLines([line('A', [2, 4], [5, null]), line('B', [0, 2], [6, 7])], {
      words: WORDS,
      isSummary: false,
    }),
    'time,A (m),B (m)\r\n1970-01-01 00:00:00,,6\r\n1970-01-01 00:00:02,5,7\r\n',
  )
})

test('a summary has the mean, the smallest and the largest value of each line', () => {
  const points = { times: [0, 2], low: [1, 4], mean: [2, 5], high: [3, null] }
  assert.equal(
    csvOfLines([{ line: { name: 'A', unit: 'm' }, points }], { words: WORDS, isSummary: true }),
    'start,A mean (m),A min (m),A max (m)\r\n1970-01-01 00:00:00,2,1,3\r\n1970-01-01 00:00:02,5,4,\r\n',
  )
})
