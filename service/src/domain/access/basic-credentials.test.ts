import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseBasicCredentials } from './basic-credentials.ts'

function encode(pair: string, encoding: BufferEncoding = 'base64'): string {
  return Buffer.from(pair).toString(encoding)
}

describe('a Basic header', () => {
  test('gives the id and the secret of RFC 7617', () => {
    assert.deepEqual(parseBasicCredentials('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='), {
      id: 'Aladdin',
      secret: 'open sesame',
    })
  })

  test('may be spelled in any case, with more white space, without padding', () => {
    const encoded = encode('app:s3cret!')
    const bare = encoded.replaceAll('=', '')
    const headers = [
      `basic ${encoded}`,
      `BASIC   ${encoded}  `,
      ` Basic\t${encoded}`,
      `Basic ${bare}`,
      `Basic ${bare} =`,
      `Basic ${encoded.slice(0, 4)}\r\n ${encoded.slice(4)}`,
    ]
    for (const header of headers) {
      assert.deepEqual(parseBasicCredentials(header), { id: 'app', secret: 's3cret!' }, header)
    }
  })

  test('is split at its first colon', () => {
    assert.deepEqual(parseBasicCredentials(`Basic ${encode('app:a:b')}`), {
      id: 'app',
      secret: 'a:b',
    })
  })

  test('has a part that does not percent-decode taken as it is', () => {
    assert.deepEqual(parseBasicCredentials(`Basic ${encode('a%20b:100%')}`), {
      id: 'a b',
      secret: '100%',
    })
  })

  test('gives back what a client percent-encoded, in either alphabet', () => {
    const alphabet = fc.constantFrom('base64' as const, 'base64url' as const)
    const property = fc.property(fc.string(), fc.string(), alphabet, (id, secret, encoding) => {
      const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
      assert.deepEqual(parseBasicCredentials(`Basic ${encode(pair, encoding)}`), { id, secret })
    })
    fc.assert(property)
  })

  test('gives back what a client did not encode, in either alphabet', () => {
    const alphabet = fc.constantFrom('base64' as const, 'base64url' as const)
    const part = fc.string({ unit: 'binary' }).filter((text) => !/[%:]/.test(text))
    const property = fc.property(part, part, alphabet, (id, secret, encoding) => {
      const header = `Basic ${encode(`${id}:${secret}`, encoding)}`
      assert.deepEqual(parseBasicCredentials(header), { id, secret })
    })
    fc.assert(property)
  })

  test('without a pair in it gives nothing', () => {
    const bad = [
      undefined,
      '',
      'Basic',
      'Basic ',
      'Basic ====',
      'Basic !!!!',
      `Basic ${encode('no colon')}`,
      `Bearer ${encode('app:secret')}`,
      `Own basic ${encode('app:secret')}`,
      `NotBasic ${encode('app:secret')}`,
      `Basic${encode('app:secret')}`,
      `Basic ${encode('app:secret')}, x`,
    ]
    for (const header of bad) assert.equal(parseBasicCredentials(header), undefined, String(header))
  })

  test('never throws', () => {
    const tail = fc.string({ unit: 'binary' })
    fc.assert(fc.property(tail, (text) => void parseBasicCredentials(text)))
    fc.assert(fc.property(tail, (text) => void parseBasicCredentials(`Basic ${text}`)))
  })

  test('that is long and wrong is refused in linear time', () => {
    const started = performance.now()

    for (const part of [' ', '=', ' =', 'a ', 'a']) {
      assert.equal(parseBasicCredentials(`Basic ${part.repeat(50_000)}!`), undefined, part)
    }

    assert.ok(performance.now() - started < 200)
  })
})
