import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findPasswordProblem } from './password-rules.ts'

test('a password that nobody guesses first has no problem', () => {
  for (const password of [
    'violet-tram-ogre-41',
    'Kx9#mQ2$vL7p',
    '桥梁监测平台密码很长一二三四',
    'when the tide turns we row home',
  ])
    assert.equal(findPasswordProblem(password, 'anna'), undefined, password)
})

test('common passwords, rows of keys and repetitions are refused', () => {
  for (const password of [
    'passwordpassword',
    'P@ssw0rd1234',
    'Password123!',
    '123456789012',
    'qwertyuiop123',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'administrator1',
    'iloveyou2024',
    'qwerty123456',
    'Welcome12345!',
    'correcthorsebatterystaple',
    'summer2024summer',
  ])
    assert.match(findPasswordProblem(password, 'anna') ?? '', /common/, password)
})

test('a word with digits or signs around it is refused', () => {
  for (const password of [
    'Hannover2026!',
    'liverpool1234',
    'manchester12',
    '!!Zürich-2026',
    '1987_lausanne',
  ])
    assert.match(findPasswordProblem(password, 'anna') ?? '', /one word with digits/, password)
  for (const password of ['48291057381', 'x48291057381', 'tunnel-rowing-88'])
    assert.doesNotMatch(findPasswordProblem(password, 'anna') ?? '', /one word/, password)
})

test('a password has 12 to 256 characters, and not the name in it', () => {
  assert.match(findPasswordProblem('Kx9#mQ2$vL7', 'anna') ?? '', /12 to 256 characters/)
  assert.match(findPasswordProblem('ab9'.repeat(86), 'anna') ?? '', /this one has 258/)
  assert.match(findPasswordProblem('xk-ANNA-77-tram-x', 'anna') ?? '', /sign-in name/)
  assert.equal(findPasswordProblem('violet-tram-ogre-41', 'vi'), undefined)
})

test('every text gets an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string(), (text, name) => {
      const problem = findPasswordProblem(text, name)
      assert.ok(problem === undefined || problem.endsWith('.'))
    }),
  )
})
