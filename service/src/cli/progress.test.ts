import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressLine } from './progress.ts'

test('a line shows the part that is done and how long the rest will take', () => {
  assert.equal(
    progressLine('records', 500, 2000, 4000),
    '[########----------------------] 25 %  500 of 2,000 records, 12 s left',
  )
})

test('nothing done yet promises no time, and nothing to do is done', () => {
  assert.match(progressLine('records', 0, 10, 50), /0 % {2}0 of 10 records$/)
  assert.match(progressLine('records', 0, 0, 50), /100 % {2}0 of 0 records, 0 s left$/)
})
