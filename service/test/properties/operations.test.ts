import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import fc from 'fast-check'
import { OPERATIONS } from '@plumbline/contract'
import { restorePassword } from '../_accounts.ts'
import { runs, SEED } from '../_random.ts'
import { requests } from './_requests.ts'
import { withFuzzed, type Fuzzed } from './_service.ts'

const RUNS = runs(200, 40)
const ROUNDS = 40

/** What only somebody with a code or a link of today is let do. */
const NEVER_ACCEPTED = new Set(['confirmTotp', 'readInvitation', 'acceptInvitation'])

/** The statuses with which a request is refused that shows no or a wrong identity. */
const REFUSALS = { credentials: [400], body: [400, 401], token: [401], session: [401], key: [401] }

describe('any request gets no 5xx, and an error is {name, message} without a secret', () => {
  let fuzzed: Fuzzed
  before(async () => {
    fuzzed = await withFuzzed()
  })
  after(() => fuzzed[Symbol.asyncDispose]())

  // A response of events does not end by itself.
  for (const operation of OPERATIONS.filter(({ produces }) => produces !== 'text/event-stream')) {
    const { operationId, config } = operation
    test(operationId, async () => {
      await fuzzed.prepare(operation)
      const seen = new Set<number>()
      const property = fc.asyncProperty(requests(operation, fuzzed), async ({ path, call }) => {
        seen.add((await fuzzed.call(path, call)).status)
      })
      const isAccepted = () => seen.has(200) || seen.has(204) || NEVER_ACCEPTED.has(operationId)
      const isRefused = () => REFUSALS[config.access].some((status) => seen.has(status))
      // Comparing a password takes a while.
      const numRuns = operation.noun === 'sessions' ? Math.ceil(RUNS / 5) : RUNS
      // An operation with many parameters may refuse every request of a round.
      for (let round = 0; round < ROUNDS && !(isAccepted() && isRefused()); round++)
        await fc.assert(property, { numRuns, seed: SEED + round })
      // A body that was changed by a letter may have set another one.
      if (operationId === 'changePassword')
        await restorePassword(fuzzed.service.storage, 'anna', fuzzed.cookie)
      // The requests are neither all wrong nor all right.
      assert.ok(isAccepted() && isRefused(), `only ${[...seen].join(', ')}`)
    })
  }

  test('an unknown path', async () => {
    const path = fc.array(
      fc.constantFrom(
        '/',
        'api',
        'v1',
        '..',
        '%2e',
        '%',
        '%zz',
        '?',
        'token=',
        'x',
        ';',
        ':',
        '\\',
      ),
    )
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH')
    await fc.assert(
      fc.asyncProperty(path, method, async (parts, method) => {
        const response = await fuzzed.service.call(`/${parts.join('')}`, { method })
        if (method !== 'HEAD') await fuzzed.call(`/${parts.join('')}`, { method })
        fuzzed.assertDiscreet(response.text, 'an answer')
      }),
      { numRuns: RUNS },
    )
  })

  test('secrets are neither in the log nor in the metrics', () => fuzzed.assertNothingLeaked())
})
