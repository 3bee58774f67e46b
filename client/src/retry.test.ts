import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PlumblineError } from './plumbline-error.ts'
import {
  LONGEST_WAIT_MILLISECONDS,
  systemClock,
  waitBefore,
  withRetries,
  type Clock,
} from './retry.ts'

/** A clock that stands still but for what is waited for. */
function fakeClock(random = 0.5) {
  const waits: number[] = []
  let time = 0
  const clock: Clock = {
    now: () => time,
    random: () => random,
    async wait(milliseconds) {
      waits.push(milliseconds)
      time += milliseconds
    },
  }
  return { clock, waits }
}

const failure = (status: number, retryAfterSeconds?: number) =>
  new PlumblineError({ name: 'Failed', message: 'It failed.', status, retryAfterSeconds })

const offline = new PlumblineError({
  name: 'NetworkError',
  message: 'No network.',
  kind: 'network',
})

/** Fails with these errors, one at each attempt, and then succeeds. */
function failing(errors: readonly unknown[]) {
  let attempts = 0
  return {
    attempt: async () => {
      const error = errors[attempts++]
      if (error !== undefined) throw error
      return attempts
    },
    attempts: () => attempts,
  }
}

const forever = { signal: undefined, deadline: Infinity }

test('503, 502, 504, 429, 408 and a lost connection are repeated, other errors are not', async () => {
  for (const error of [...[502, 503, 504, 429, 408].map((status) => failure(status)), offline]) {
    const { clock } = fakeClock()
    const { attempt } = failing([error])
    assert.equal(await withRetries(attempt, { retries: 4, clock, ...forever }), 2)
  }
  const passedOn = [
    ...[400, 401, 403, 404, 409, 413, 500].map((status) => failure(status)),
    new PlumblineError({ name: 'TimeoutError', message: 'Late.', kind: 'timeout' }),
    new Error('ours'),
  ]
  for (const error of passedOn) {
    const { clock, waits } = fakeClock()
    const { attempt } = failing([error])
    await assert.rejects(withRetries(attempt, { retries: 4, clock, ...forever }), error)
    assert.deepEqual(waits, [])
  }
})

test('waits double, by chance down to half of it', async () => {
  const { clock, waits } = fakeClock(0)
  const { attempt, attempts } = failing(Array.from({ length: 9 }, () => offline))

  await assert.rejects(withRetries(attempt, { retries: 4, clock, ...forever }), offline)

  assert.deepEqual(waits, [250, 500, 1000, 2000])
  assert.equal(attempts(), 5)
})

test('no attempt comes before Retry-After is over', () => {
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.option(fc.nat(100), { nil: undefined }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, seconds, random) => {
        const wait = waitBefore(failures, seconds, random)

        assert.ok(wait >= (seconds ?? 0) * 1000)
        assert.ok(wait >= 250 && wait <= Math.max(30_000, (seconds ?? 0) * 1000 + 500))
      },
    ),
  )
})

test('there are never more attempts than retries and one, and no wait beyond the deadline', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(failure(503, 1), failure(429), failure(404), offline)),
      fc.nat(6),
      fc.nat(20_000),
      async (errors, retries, deadline) => {
        const { clock, waits } = fakeClock()
        const { attempt, attempts } = failing(errors)

        const options = { retries, clock, signal: undefined, deadline }
        const [result] = await Promise.allSettled([withRetries(attempt, options)])

        assert.ok(attempts() <= retries + 1)
        assert.equal(waits.length, attempts() - 1)
        assert.ok(clock.now() < Math.max(1, deadline))
        if (result.status === 'rejected') assert.equal(result.reason, errors[attempts() - 1])
      },
    ),
  )
})

test('a service that asks for more than a minute is not waited for', async () => {
  const { clock, waits } = fakeClock()
  const error = failure(429, LONGEST_WAIT_MILLISECONDS / 1000 + 1)

  const result = withRetries(failing([error]).attempt, { retries: 4, clock, ...forever })

  await assert.rejects(result, error)
  assert.deepEqual(waits, [])
})

test('an abort ends a wait with its reason', { timeout: 5000 }, async () => {
  const controller = new AbortController()
  const reason = new Error('enough')

  const waiting = systemClock.wait(60_000, controller.signal)
  controller.abort(reason)

  await assert.rejects(waiting, reason)
  await assert.rejects(systemClock.wait(60_000, controller.signal), reason)
})
