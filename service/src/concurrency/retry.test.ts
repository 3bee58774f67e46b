import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConflictError } from '../errors/conflict-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { Retries, retryOnConflict } from './retry.ts'

const retrying = { reasons: ['records'], what: 'records' } as const
const conflict = (): ConflictError => new ConflictError('records', 'again')

test('work is repeated after a conflict, and refused after fifty conflicts in a row', async () => {
  let attempts = 0

  const refusal = await retryOnConflict(retrying, async () => {
    attempts++
    throw conflict()
  }).catch((error: unknown) => error)

  assert.ok(refusal instanceof RefusedError)
  assert.deepEqual(
    [attempts, refusal.reason, refusal.message],
    [50, 'unavailable', 'Other writers keep changing records; try again.'],
  )
})

test('a success in between resets the count', async () => {
  const retries = new Retries(retrying)

  for (let count = 1; count < 50; count++) await retries.after(conflict())
  retries.succeeded()

  await retries.after(conflict())
})

test('a conflict for another reason and every other error are thrown', async () => {
  for (const error of [new Error('the disk is full'), new ConflictError('alarms', 'changed')])
    await assert.rejects(
      retryOnConflict(retrying, () => Promise.reject(error)),
      error,
    )
})
