import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordDigest, writeEnvelope } from './envelope.ts'

test('the digest of a password is that of the ONVIF Application Programmer’s Guide', () => {
  assert.equal(
    passwordDigest(
      Buffer.from('LKqI6G/AikKCQrN0zqZFlg==', 'base64'),
      '2010-09-16T07:50:45Z',
      'userpassword',
    ),
    'tuOSpGlFlIXsozq4HFNeeGeFLEI=',
  )
})

test('an envelope has no password, and a user as text', () => {
  const nonce = new Uint8Array(16)
  const xml = writeEnvelope('<Stop/>', {
    user: 'a<b>&"',
    password: 'sec-ret',
    nonce,
    createdAt: Date.UTC(2026, 2, 1),
  })

  assert.match(xml, /<Username>a&#60;b&#62;&#38;&#34;<\/Username>/)
  assert.match(xml, /<Created [^>]*>2026-03-01T00:00:00\.000Z<\/Created>/)
  assert.ok(xml.includes(passwordDigest(nonce, '2026-03-01T00:00:00.000Z', 'sec-ret')))
  assert.ok(!xml.includes('sec-ret'))
})
