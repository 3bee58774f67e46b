import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../../test/_growth.ts'
import { runs } from '../../../../test/_random.ts'
import { parseChallenges } from './challenges.ts'

const read = (...values: string[]) =>
  parseChallenges(values).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
const challenge = fc.record({
  scheme: token,
  parameters: fc
    .uniqueArray(fc.tuple(token, fc.string({ unit: 'binary-ascii' }), fc.boolean()), {
      selector: ([name]) => name,
      maxLength: 5,
    })
    .map((all) =>
      all.map(([name, value, isQuoted]) => ({
        name,
        value: value.replaceAll(/[^\x20-\x7e]/g, '_'),
        isQuoted,
      })),
    ),
})

describe('parseChallenges', () => {
  test('reads what an independent writer writes, in one value or in several', () => {
    const pause = fc.constantFrom(', ', ',', ' , ', ' ,, ')
    fc.assert(
      fc.property(fc.array(challenge), pause, fc.boolean(), (challenges, pause, isOne) => {
        const values = challenges.map(({ scheme, parameters }) => {
          const written = parameters.map(({ name, value, isQuoted }) =>
            isQuoted || !/^[\w.-]+$/.test(value)
              ? `${name.toUpperCase()}="${value.replaceAll(/["\\]/g, (one) => `\\${one}`)}"`
              : `${name} = ${value}`,
          )
          return `${scheme.toUpperCase()} ${written.join(pause)}`
        })

        assert.deepEqual(
          read(...(isOne ? [values.join(', ')] : values)),
          challenges.map(({ scheme, parameters }) => [
            scheme,
            Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
          ]),
        )
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('reads the quoting of cameras', () => {
    assert.deepEqual(
      read(
        String.raw`Digest realm="Login to \"4K0\", now", nonce=abc/==, qop="auth,auth-int",stale = FALSE`,
        'Basic realm="IP Camera(C2468)", Negotiate',
        'Digest realm="", nonce="ends early',
      ),
      [
        [
          'digest',
          { realm: 'Login to "4K0", now', nonce: 'abc/==', qop: 'auth,auth-int', stale: 'FALSE' },
        ],
        ['basic', { realm: 'IP Camera(C2468)' }],
        ['negotiate', {}],
        ['digest', { realm: '', nonce: '' }],
      ],
    )
  })

  test('reads a long value in time that grows with its length', () => {
    const parts = [',', ' ', 'a=', '\\"', '"\\', 'a="', 'a ', '= ']
    const inputs = parts.map((part) => [part, (size: number) => `Digest a="${part.repeat(size)}`])
    assertLinear(Object.fromEntries(inputs), (text: string) => parseChallenges([text]))
  })
})
