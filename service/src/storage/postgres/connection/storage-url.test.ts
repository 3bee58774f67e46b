import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { describeTarget, readStorageUrl } from './storage-url.ts'

const NAME = fc
  .string({ unit: 'binary', minLength: 1 })
  .filter((text) => !text.includes('\0') && text.isWellFormed())

const encode = encodeURIComponent

describe('a storage URL', () => {
  test('names host, port, user, password and database', () => {
    const target = readStorageUrl('postgres://service:secret@db.example.org:6432/plumbline')

    assert.equal(target.host, 'db.example.org')
    assert.equal(target.port, 6432)
    assert.equal(target.user, 'service')
    assert.equal(target.password, 'secret')
    assert.equal(target.database, 'plumbline')
  })

  test('may leave out the host, the port and the password', () => {
    const { host, port, password } = readStorageUrl('postgresql://service@/plumbline')

    assert.deepEqual([host, port, password], ['localhost', 5432, undefined])
    assert.equal(readStorageUrl('postgres://service:@db/plumbline').password, undefined)
  })

  test('names an IPv6 address in brackets', () => {
    const { host, port } = readStorageUrl('postgres://service@[2001:db8::1]:6432/plumbline')

    assert.deepEqual([host, port], ['2001:db8::1', 6432])
  })

  test('names the folder of a socket as its host or as a parameter', () => {
    for (const url of [
      'postgres://service@%2Fvar%2Frun%2Fpostgresql:6432/plumbline',
      'postgres://service@/plumbline?host=/var/run/postgresql&port=6432',
    ]) {
      const { host, port, sslmode } = readStorageUrl(url)
      assert.deepEqual([host, port, sslmode], ['/var/run/postgresql', 6432, 'disable'])
    }
  })

  test('has any characters in its parts, encoded', () => {
    fc.assert(
      fc.property(NAME, NAME, NAME, (user, password, database) => {
        const target = readStorageUrl(
          `postgres://${encode(user)}:${encode(password)}@db/${encode(database)}`,
        )

        assert.deepEqual(
          [target.user, target.password, target.database],
          [user, password, database],
        )
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('is verified in full unless the host is this machine or the URL says otherwise', () => {
    for (const [place, mode] of [
      ['db', 'verify-full'],
      ['10.0.0.1', 'verify-full'],
      ['[2001:db8::1]', 'verify-full'],
      ['localhost', 'disable'],
      ['127.0.0.1', 'disable'],
      ['[::1]', 'disable'],
    ] as const)
      assert.equal(readStorageUrl(`postgres://u@${place}/d`).sslmode, mode, place)
    for (const mode of ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'])
      assert.equal(readStorageUrl(`postgres://u@db/d?sslmode=${mode}`).sslmode, mode)
  })

  test('is described without its password and its parameters', () => {
    for (const [url, description] of [
      ['postgres://u:secret@db/d?options=-c%20secret', 'postgres://u@db:5432/d'],
      ['postgres://u:secret@[::1]:1/d', 'postgres://u@[::1]:1/d'],
      ['postgres://u@%2Frun/d', 'postgres://u@%2Frun:5432/d'],
    ] as const)
      assert.equal(describeTarget(readStorageUrl(url)), description)
  })
})

const REFUSED = [
  ['postgres:db', 'must be written as postgres://'],
  ['mysql://u@db/d', 'must be written as postgres://'],
  ['postgres://db/d', 'names no user'],
  ['postgres://u@db', 'names no database'],
  ['postgres://u@db/', 'names no database'],
  ['postgres://u@db/a/b', 'has a / in the name of the database'],
  ['postgres://u@db:0/d', 'has no port from 1 to 65535'],
  ['postgres://u@db:70000/d', 'has no port from 1 to 65535'],
  ['postgres://u@db:abc/d', 'has no port from 1 to 65535'],
  ['postgres://u@::1/d', 'write an IPv6 address as [::1]'],
  ['postgres://u@a,b/d', 'names several hosts'],
  ['postgres://u@db/d?sslmode=allow', 'must have an sslmode of disable, prefer,'],
  ['postgres://u@db/d?password=secret', 'use storage.passwordFile'],
  ['postgres://u@db/d?unknown=1', 'has an unknown parameter; it may have host, port,'],
  ['postgres://u@db/d?connect_timeout=0', 'must have a connect_timeout'],
  ['postgres://u@db/d?sslcert=a', 'names sslcert without sslkey'],
  ['postgres://u@db/d?sslkey=a', 'names sslkey without sslcert'],
  ['postgres://u:%zz@db/d', 'has a % in its password'],
  ['postgres://u:%00@db/d', 'has a zero byte in its password'],
  // Passwords whose characters are not encoded.
  ['postgres://u:se/cret@db/d', 'has an @ in a wrong place'],
  ['postgres://u:1234/cret@db/d', 'has an @ in a wrong place'],
  ['postgres://u:1234?cret@db/d', 'has an @ in a wrong place'],
  ['postgres://u:se#cret@db/d', 'a # in its parts as %23'],
] as const

describe('a wrong storage URL', () => {
  for (const [url, words] of REFUSED)
    test(`${url} is refused with what is wrong`, () => {
      assert.throws(() => readStorageUrl(url), {
        name: 'RefusedError',
        reason: 'invalid',
        message: new RegExp(`^The storage URL .*${RegExp.escape(words)}`),
      })
    })

  test('never repeats a password in what it says', () => {
    const rest = fc.constantFrom('db/d', 'db:1/d?x=1', '[::1/d', 'db', 'db:x/d', 'a,b/d')
    const secret = fc
      .string({ unit: fc.constantFrom(...'Zz09/?#@:%&=[]'), minLength: 1 })
      .map((text) => `Q7${text}Q7`)
    fc.assert(
      fc.property(secret, rest, (password, place) => {
        try {
          readStorageUrl(`postgres://u:${password}@${place}`)
        } catch (error) {
          assert.ok(error instanceof Error)
          assert.equal(error.name, 'RefusedError')
          assert.ok(!error.message.includes('Q7'), error.message)
        }
      }),
      { numRuns: runs(5_000) },
    )
  })
})
