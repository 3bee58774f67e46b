import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseChallenges } from './challenges.ts'
import { readDigest, writeDigest } from './digest.ts'

// Responses without an example in an RFC were computed in Python by the formulas of RFC 2617.

const readOne = (value: string) => parseChallenges([value]).map(readDigest)[0]

function write(
  value: string,
  [user, password]: readonly [string, string],
  { count = 1, clientNonce = '0a4f113b', uri = '/dir/index.html' } = {},
): string {
  const challenge = readOne(value)
  assert.ok(challenge !== undefined)
  return writeDigest(challenge, { user, password }, { method: 'GET', uri, count, clientNonce })
}

const OLD = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"'
const NEW =
  'Digest realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
  'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop="auth, auth-int"'
const CLIENT_NONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

test('writes the example of RFC 2617', () => {
  assert.equal(
    write(`${OLD}, qop="auth,auth-int", opaque="5ccc069c403ebaf9f0171e9517f40e41"`, [
      'Mufasa',
      'Circle Of Life',
    ]),
    'Digest username="Mufasa", realm="testrealm@host.com", ' +
      'nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", ' +
      'response="6629fae49393a05397450978507c4ef1", opaque="5ccc069c403ebaf9f0171e9517f40e41", ' +
      'qop=auth, nc=00000001, cnonce="0a4f113b"',
  )
})

test('writes the examples of RFC 7616, with both algorithms', () => {
  for (const [algorithm, response] of [
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const) {
    const value = write(`${NEW}, algorithm=${algorithm}`, ['Mufasa', 'Circle of Life'], {
      clientNonce: CLIENT_NONCE,
    })
    assert.ok(
      value.includes(`response="${response}", algorithm=${algorithm}, opaque="FQhe/`),
      value,
    )
  }
})

test('writes none of the new parts where the server asks for none (RFC 2069)', () => {
  assert.equal(
    write(OLD, ['Mufasa', 'Circle Of Life']),
    'Digest username="Mufasa", realm="testrealm@host.com", ' +
      'nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", ' +
      'response="670fd8c2df070c60b045671b8b24ff02"',
  )
})

test('a session keeps its nonce in the secret', () => {
  const value = write(`${OLD}, algorithm=MD5-sess, qop=auth`, ['Mufasa', 'Circle Of Life'])

  assert.match(value, /response="8e3825c57e897f5a0dec6c2d4e5059d0", algorithm=MD5-sess, qop=auth/)
})

test('quotes what the server and the user name have, and hashes it as it is', () => {
  const value = write(String.raw`Digest realm="a \"b\" \\c", nonce="n\"n"`, ['o"brien\\', 'x'])

  assert.ok(
    value.startsWith(
      String.raw`Digest username="o\"brien\\", realm="a \"b\" \\c", nonce="n\"n", uri=`,
    ),
  )
  assert.match(value, /response="c4d626ae09e11f19abcfa5444276ef35"/)
})

test('a name in another script is sent and hashed as UTF-8', () => {
  const value = write(OLD, ['桥', 'Ä'])

  assert.ok(value.includes(`username="${Buffer.from('桥').toString('latin1')}"`))
  assert.match(value, /response="4bad901381a1552ad72ec5a65414a59f"/)
})

test('a challenge without a nonce, with another algorithm or protection is not known', () => {
  for (const value of [
    'Digest realm="a"',
    'Digest nonce="a", algorithm=SHA-512-256',
    'Digest nonce="a", qop="auth-int"',
    'Basic realm="a", nonce="a"',
  ])
    assert.equal(readOne(value), undefined, value)
  for (const value of ['Digest nonce="a", algorithm="md5", stale=TRUE', 'digest nonce=a, qop=auth'])
    assert.ok(readOne(value) !== undefined, value)
})
