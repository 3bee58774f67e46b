import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { MANAGE_OPERATIONS, type Operation } from '@plumbline/contract'
import { addAccount, openSession } from '../_accounts.ts'
import { acceptedRequest } from '../properties/_requests.ts'
import { PLATE, withFuzzed, type Fuzzed } from '../properties/_service.ts'

let fuzzed: Fuzzed

before(async () => {
  fuzzed = await withFuzzed()
})

after(() => fuzzed[Symbol.asyncDispose]())

/**
 * Operations with a token of the scope `read` change nothing, and those with a body of secrets open a
 * session; others say so themselves.
 */
const CHANGES = (MANAGE_OPERATIONS as readonly Operation[]).filter(
  ({ method, config }) =>
    method !== 'GET' &&
    (config.access === 'session' ||
      (config.access === 'token' && config.scope !== 'read' && config.isChange !== false)),
)

const SECRETS = ['correct horse', '$argon2id']

test('every operation that changes something leaves one line, without secrets', async () => {
  const { audit } = fuzzed.service.storage
  const viewer = await addAccount(fuzzed.service.storage, {
    name: 'walker',
    role: 'viewer',
    userId: 1,
  })
  assert.ok(CHANGES.length > 25)
  const wrong: string[] = []
  for (const operation of CHANGES) {
    const cookie = await openSession(fuzzed.service.storage, viewer)
    const secrets = { ...fuzzed, basic: fuzzed.basic, cookie, spareCookie: cookie }
    const seen: string[] = []
    for (const { path, call } of fc.sample(acceptedRequest(operation, secrets), 60)) {
      // Of some operations many requests are refused before they begin.
      if (seen.length >= 4) break
      const before = await audit.from(1, 100_000)
      const { status } = await fuzzed.call(path, call)
      const lines = (await audit.from(1, 100_000)).slice(before.length)
      const who = operation.config.access === 'session' ? 'account' : 'application'
      seen.push(...lines.map((line) => line.operation))
      const found = lines.map((line) => `${line.who.kind} ${line.operation}`)
      // A body that the route refuses before it begins is no change.
      if (status === 400 && lines.length === 0) continue
      if (status === 401 && operation.operationId === 'signOut') continue
      if (found.join() !== `${who} ${operation.operationId}`)
        wrong.push(`${operation.operationId} ${status}: ${found.join()}`)
    }
  }

  assert.deepEqual(wrong, [])
  const lines = await audit.from(1, 100_000)
  const named = new Set(lines.map(({ operation }) => operation))
  assert.deepEqual(
    CHANGES.map(({ operationId }) => operationId).filter((one) => !named.has(one)),
    [],
  )
  // A plate that somebody writes into a name or comment stays there.
  fuzzed.assertDiscreet(JSON.stringify(lines).replaceAll(PLATE, ''), 'the audit log')
  for (const secret of SECRETS) assert.ok(!JSON.stringify(lines).includes(secret))
})

test('an operation that changes nothing leaves no line', async () => {
  const before = await fuzzed.service.storage.audit.from(1, 100_000)
  const reads = (MANAGE_OPERATIONS as readonly Operation[]).filter(
    (operation) =>
      !CHANGES.includes(operation) &&
      operation.config.access !== 'body' &&
      // Its response does not end.
      operation.operationId !== 'streamEvents',
  )
  for (const operation of reads)
    for (const { path, call } of fc.sample(acceptedRequest(operation, fuzzed), 1))
      await fuzzed.call(path, call)

  const lines = await fuzzed.service.storage.audit.from(1, 100_000)
  assert.equal(lines.length, before.length)
})
