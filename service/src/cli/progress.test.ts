import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressLine } from './progress.ts'

test('a line shows the finished part and the remaining time', () => {
  assert.equal(
    progressLine('records', 500, 2000, 4000),
    '[########----------------------] 25 %  500 of 2,000 records, 12 s left',
  )
})

test('without progress no time is shown, and without work the line is complete', () => {
  assert.match(progressLine('records', 0, 10, 50), /0 % {2}0 of 10 records$/)
  assert.match(progressLine('records', 0, 0, 50), /100 % {2}0 of 0 records, 0 s left$/)
})
