import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashPassword, isPasswordOf, UNKNOWN_PASSWORD } from './password-hash.ts'

const SALT = Buffer.from('somesalt-sixteen')

test('a password is that of its hash, and no other one is', async () => {
  const phc = await hashPassword('correct horse battery', SALT)

  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await isPasswordOf(phc, 'correct horse battery'), true)
  assert.equal(await isPasswordOf(phc, 'correct horse batterx'), false)
  assert.equal(await isPasswordOf(phc, ''), false)
})

// From the tests of the reference implementation (github.com/P-H-C/phc-winner-argon2, src/test.c).
test('hashes of the reference implementation are read', async () => {
  const known =
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'

  assert.equal(await isPasswordOf(known, 'password'), true)
  assert.equal(await isPasswordOf(known, 'passwore'), false)
})

test('one letter in two spellings of Unicode is one password', async () => {
  const phc = await hashPassword('caf\u00e9 am Rhein 7', SALT)

  assert.equal(await isPasswordOf(phc, 'cafe\u0301 am Rhein 7'), true)
})

test('nothing is the password of a text that is no hash, or asks for too much', async () => {
  for (const phc of [
    '',
    'password',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=9999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ])
    assert.equal(await isPasswordOf(phc, 'password'), false, phc)
})

test('no password is the unknown one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => !(await isPasswordOf(UNKNOWN_PASSWORD, text))),
    { numRuns: 5 },
  )
})
