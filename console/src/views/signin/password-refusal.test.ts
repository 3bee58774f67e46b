import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPasswordProblem } from '../../../../service/src/domain/access/password-rules.ts'
import { passwordRefusal } from './password-refusal.ts'

test('each sentence about a new password is found behind what could not be done', () => {
  for (const password of ['short', 'anna at the weir', 'passwordpassword', 'Hannover2026!']) {
    const problem = findPasswordProblem(password, 'anna')
    assert.ok(problem)
    assert.equal(passwordRefusal(new Error(`The link could not be used: ${problem}`)), problem)
  }
})

test('other refusals and errors are none', () => {
  for (const error of [
    new Error('The link could not be used: the link is not valid.'),
    new Error('The password could not be changed: the password is wrong.'),
    undefined,
  ])
    assert.equal(passwordRefusal(error), undefined)
})
