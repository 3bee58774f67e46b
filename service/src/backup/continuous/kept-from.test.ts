import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptFrom } from './kept-from.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 2, 10)

/** A piece each ten minutes of so many days. */
const pieces = (days: number): number[] =>
  Array.from({ length: days * 144 + 1 }, (_, at) => NOW - days * DAY + at * 600_000)

test('pieces are kept for the days of the setting', () => {
  assert.equal(keptFrom(pieces(9), NOW, 7), NOW - 7 * DAY)
  assert.equal(keptFrom(pieces(2), NOW, 7), NOW - 7 * DAY)
  assert.equal(keptFrom([], NOW, 7), NOW - 7 * DAY)
})

test('a clock that is a year ahead makes no piece old, while it is and when it is right again', () => {
  const ahead = NOW + 365 * DAY

  assert.equal(keptFrom(pieces(9), ahead, 7), NOW - 7 * DAY + HOUR)
  assert.equal(keptFrom([...pieces(9), ahead, NOW], NOW, 7), NOW - 7 * DAY + HOUR)
})

test('a service that was off for a month keeps what it had', () => {
  assert.equal(keptFrom(pieces(9), NOW + 30 * DAY, 7), NOW - 7 * DAY + HOUR)
})
