import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base32, findTotpStep, totpCode, totpUri } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')

// RFC 6238, appendix B, the rows of SHA1.
const VECTORS: readonly [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

test('codes are those of RFC 6238', () => {
  for (const [seconds, code] of VECTORS)
    assert.equal(totpCode(SECRET, Math.floor(seconds / 30), 8), code)
})

test('a code counts in its step and the two beside it', () => {
  const now = 1_234_567_890_000
  const step = Math.floor(now / 30_000)

  for (const away of [-1, 0, 1])
    assert.equal(findTotpStep(SECRET, totpCode(SECRET, step + away), now), step + away)
  for (const away of [-2, 2])
    assert.equal(findTotpStep(SECRET, totpCode(SECRET, step + away), now), undefined)
  assert.equal(findTotpStep(SECRET, ' 005 924', now), step)
})

test('no text but six digits is a code', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      fc.pre(!/^\d{6}$/.test(text.replaceAll(/\s/g, '')))
      assert.equal(findTotpStep(SECRET, text, 59_000), undefined)
    }),
  )
})

// RFC 4648, section 10.
test('base32 is that of RFC 4648, without padding', () => {
  const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar']
  const encoded = ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']

  assert.deepEqual(
    texts.map((text) => base32(Buffer.from(text))),
    encoded,
  )
})

test('the address names the issuer and the account', () => {
  assert.equal(
    totpUri(SECRET, { name: 'anna', host: 'shm.example' }),
    'otpauth://totp/Plumbline%20shm.example:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Plumbline%20shm.example',
  )
})
