import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusedError } from '../../errors/refused-error.ts'
import { OutdatedError } from '../../errors/outdated-error.ts'
import { Retries } from './retries.ts'

test('what was overtaken is tried again, and refused after fifty times in a row', async () => {
  const retries = new Retries('records')

  for (let count = 1; count < 50; count++) await retries.after(new OutdatedError('again'))
  const refusal = await retries.after(new OutdatedError('again')).catch((error: unknown) => error)

  assert.ok(refusal instanceof RefusedError)
  assert.deepEqual(
    [refusal.refusal, refusal.message],
    ['unavailable', 'Others write records all the time; try again.'],
  )
})

test('a success in between begins the count anew', async () => {
  const retries = new Retries('records')

  for (let count = 1; count < 50; count++) await retries.after(new OutdatedError('again'))
  retries.succeeded()

  await retries.after(new OutdatedError('again'))
})

test('every other error is thrown as it is', async () => {
  const error = new Error('the disk is full')

  await assert.rejects(new Retries('records').after(error), error)
})
