import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { afterFailure, pauseAfter } from './back-off.ts'

const SETTINGS = { first: 5000, longest: 600_000, giveUpAfter: 86_400_000 }

const jitter = fc.double({ min: 0, max: 1, noNaN: true })
const failures = fc.integer({ min: 1, max: 2000 })

test('pauses double from the first to the longest, less up to a half', () => {
  const whole = [1, 2, 3, 7, 8, 9, 1000].map((count) => pauseAfter(count, 1, SETTINGS))
  const half = [1, 2, 3].map((count) => pauseAfter(count, 0, SETTINGS))

  assert.deepEqual(whole, [5000, 10_000, 20_000, 320_000, 600_000, 600_000, 600_000])
  assert.deepEqual(half, [2500, 5000, 10_000])
})

test('a receiver that asks for a longer pause gets it', () => {
  const failure = { failures: 1, dueAt: 0, now: 1000, jitter: 1 }

  assert.deepEqual(afterFailure({ ...failure, retryAfter: 60_000 }, SETTINGS), {
    kind: 'retry',
    at: 61_000,
  })
  assert.deepEqual(afterFailure({ ...failure, retryAfter: 10 }, SETTINGS), {
    kind: 'retry',
    at: 6000,
  })
})

test('it is tried a last time when its term is over, and then given up', () => {
  const end = SETTINGS.giveUpAfter
  const late = { failures: 50, dueAt: 0, jitter: 1 }

  assert.deepEqual(afterFailure({ ...late, now: end - 1 }, SETTINGS), { kind: 'retry', at: end })
  assert.deepEqual(afterFailure({ ...late, now: end }, SETTINGS), { kind: 'giveUp' })
})

test('whatever happens, the next try comes later and within the term', () => {
  const wish = fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: undefined })
  const age = fc.integer({ min: 0, max: SETTINGS.giveUpAfter - 1 })
  fc.assert(
    fc.property(failures, jitter, wish, age, (count, chance, retryAfter, now) => {
      const next = afterFailure(
        { failures: count, dueAt: 0, now, jitter: chance, retryAfter },
        SETTINGS,
      )
      assert.ok(next.kind === 'retry' && next.at > now && next.at <= SETTINGS.giveUpAfter)
    }),
  )
})
