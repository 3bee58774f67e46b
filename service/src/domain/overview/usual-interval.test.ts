import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualInterval } from './usual-interval.ts'

test('the usual interval is the median of the distances, whatever the order of the instants', () => {
  assert.equal(usualInterval([100, 0, 40, 20, 1000], [], 11), 40)
  assert.equal(usualInterval([0, 10, 30], [], 11), 15)
})

test('fewer than three records have none', () => {
  assert.equal(usualInterval([], [], 11), undefined)
  assert.equal(usualInterval([5, 10], [], 11), undefined)
  assert.equal(usualInterval([10], [{ count: 1, first: 0, last: 0 }], 11), undefined)
})

test('sealed records count as evenly spread, the newest part first', () => {
  const parts = [
    { count: 1, first: 0, last: 0 },
    { count: 3, first: 100, last: 120 },
  ]

  assert.equal(usualInterval([130], parts, 11), 10)
  assert.equal(usualInterval([], parts, 2), 10)
})

test('a part that later records were added into adds no distance backwards', () => {
  assert.equal(usualInterval([50, 60, 70], [{ count: 11, first: 0, last: 100 }], 11), 10)
})
