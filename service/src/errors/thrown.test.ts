import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { codeOf, toError } from './thrown.ts'

test('an error stays what it is, and anything else becomes one with its text', () => {
  const error = new TypeError('no number')

  assert.equal(toError(error), error)
  assert.equal(toError('the disk is full').message, 'the disk is full')
  assert.equal(toError(undefined).message, 'undefined')
})

test('an error of Node has a code, others have none', async () => {
  const missing: unknown = await readFile('no such file').catch((error: unknown) => error)

  assert.equal(codeOf(missing), 'ENOENT')
  assert.equal(codeOf(Object.assign(new Error('odd'), { code: 7 })), undefined)
  for (const other of [new Error('plain'), undefined, null, 'ENOENT'])
    assert.equal(codeOf(other), undefined)
})
