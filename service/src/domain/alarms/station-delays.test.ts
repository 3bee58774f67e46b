import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinStates } from './station-delays.ts'

describe('the states of rules and on-delays together', () => {
  const before = { rate: [1], delay: [2] }

  test('are the same object where none has changed', () => {
    assert.equal(joinStates(before, { rate: before.rate }, { delay: before.delay }), before)
  })

  test('do not keep the state of an on-delay whose settings have changed', () => {
    assert.deepEqual(joinStates({ ...before, old: [3] }, { rate: [1] }, { delay: [2] }), before)
  })
})
