import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { afterFailure, LEAST_TRIES, pauseAfter } from './back-off.ts'

const SETTINGS = { first: 5000, longest: 600_000, giveUpAfter: 86_400_000 }

const jitter = fc.double({ min: 0, max: 1, noNaN: true })
const failures = fc.integer({ min: 1, max: 2000 })

test('pauses double from the first to the longest, less up to a half', () => {
  const whole = [1, 2, 3, 7, 8, 9, 1000].map((count) => pauseAfter(count, 1, SETTINGS))
  const half = [1, 2, 3].map((count) => pauseAfter(count, 0, SETTINGS))

  assert.deepEqual(whole, [5000, 10_000, 20_000, 320_000, 600_000, 600_000, 600_000])
  assert.deepEqual(half, [2500, 5000, 10_000])
})

const FAILURE = { failures: 1, age: 0, mayEnd: true, now: 1000, jitter: 1 }

const after = (retryAfter: number) => afterFailure({ ...FAILURE, retryAfter }, SETTINGS)

test('a receiver that asks for a longer pause gets it, up to the longest', () => {
  assert.deepEqual(after(60_000), { kind: 'retry', at: 61_000 })
  assert.deepEqual(after(10), { kind: 'retry', at: 6000 })
  assert.deepEqual(after(1e12), { kind: 'retry', at: 601_000 })
})

test('it is tried a last time when its term is over, and then given up', () => {
  const end = SETTINGS.giveUpAfter
  const late = { ...FAILURE, failures: 50 }

  assert.deepEqual(afterFailure({ ...late, age: end - 1 }, SETTINGS), { kind: 'retry', at: 1001 })
  assert.deepEqual(afterFailure({ ...late, age: end }, SETTINGS), { kind: 'giveUp' })
})

test('it is not given up before the running time allows it, nor after few tries', () => {
  const old = { ...FAILURE, age: SETTINGS.giveUpAfter }

  const byRunningTime = afterFailure({ ...old, failures: 50, mayEnd: false }, SETTINGS)
  const byTries = afterFailure({ ...old, failures: LEAST_TRIES - 1 }, SETTINGS)
  const last = afterFailure({ ...old, failures: LEAST_TRIES }, SETTINGS)

  assert.deepEqual(byRunningTime, { kind: 'retry', at: 601_000 })
  assert.deepEqual(byTries, { kind: 'retry', at: 41_000 })
  assert.deepEqual(last, { kind: 'giveUp' })
})

test('it is not given up while no time is trusted', () => {
  const unknown = { ...FAILURE, failures: 50, age: -Infinity }

  assert.deepEqual(afterFailure(unknown, SETTINGS), { kind: 'retry', at: 601_000 })
})

test('whatever happens, the next try comes later, within the longest pause and the term', () => {
  const wish = fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: undefined })
  const ages = fc.double({ min: -1e12, max: SETTINGS.giveUpAfter, noNaN: true, maxExcluded: true })
  const instants = fc.integer({ min: 0, max: 1e12 })
  fc.assert(
    fc.property(failures, jitter, wish, ages, instants, (count, chance, retryAfter, age, now) => {
      const failure = { ...FAILURE, failures: count, age, now, jitter: chance, retryAfter }
      const next = afterFailure(failure, SETTINGS)
      assert.ok(next.kind === 'retry' && next.at > now && Number.isInteger(next.at))
      assert.ok(next.at - now <= Math.min(SETTINGS.longest, Math.ceil(SETTINGS.giveUpAfter - age)))
    }),
  )
})
