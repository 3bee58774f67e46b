import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { SIGNING_SCHEMES } from '../../../domain/cameras/signing-scheme.ts'
import { needsKey, signAddress } from './signing.ts'

/** The MD5 of a text, computed by OpenSSL. */
const opensslMd5 = (text: string): Buffer =>
  execFileSync('openssl', ['dgst', '-md5', '-binary'], { input: text })

test('grant leaves the address as it is and needs no key', () => {
  const address = 'https://m.example/1-h.m3u8?grant=g'

  assert.equal(signAddress('grant', { address, expiresAtSeconds: 1, key: '' }), address)
  assert.deepEqual(SIGNING_SCHEMES.filter(needsKey), ['nginx-secure-link', 'aliyun-a', 'tencent'])
})

describe('nginx-secure-link', () => {
  const expiresAtSeconds = 2_147_483_647

  test('signs as the example of its documentation', () => {
    // The example hashes '2147483647/s/link127.0.0.1 secret', with the client's address after the path.
    const signed = signAddress('nginx-secure-link', {
      address: 'https://m.example/s/link127.0.0.1',
      expiresAtSeconds,
      key: 'secret',
    })

    assert.equal(
      signed,
      'https://m.example/s/link127.0.0.1?md5=_e4Nc3iduzkWRm01TBBNYw&expires=2147483647',
    )
  })

  test('signs the path as nginx reads it', () => {
    const signed = signAddress('nginx-secure-link', {
      address: 'https://m.example/live//%E4%B8%9C%20塔/a/../1-h.m3u8?x=1',
      expiresAtSeconds,
      key: 'k',
    })

    const hash = opensslMd5('2147483647/live/东 塔/1-h.m3u8 k').toString('base64url')
    assert.ok(signed.endsWith(`/1-h.m3u8?x=1&md5=${hash}&expires=2147483647`), signed)
  })
})

describe('aliyun-a', () => {
  test('signs as the example of its documentation', () => {
    const signed = signAddress('aliyun-a', {
      address: 'http://cdn.example.com/video/standard/1K.html',
      expiresAtSeconds: 1_444_435_200,
      key: 'aliyuncdnexp1234',
    })

    assert.equal(
      signed,
      'http://cdn.example.com/video/standard/1K.html?auth_key=1444435200-0-0-80cd3862d699b7118eed99103f2a3a4f',
    )
  })

  test('signs the path of an RTMP address, without its query', () => {
    const signed = signAddress('aliyun-a', {
      address: 'rtmp://play.example.com/live/1-h?a=1',
      expiresAtSeconds: 1_444_435_200,
      key: 'k',
    })

    const hash = opensslMd5('/live/1-h-1444435200-0-0-k').toString('hex')
    assert.equal(signed, `rtmp://play.example.com/live/1-h?a=1&auth_key=1444435200-0-0-${hash}`)
  })
})

describe('tencent', () => {
  const input = { expiresAtSeconds: 0x5c271099, key: 'e12c46f2612d5106e2034781ab261ca3' }

  test('signs as the example of its documentation', () => {
    const address = 'rtmp://livepush.tcloud.com/live/test'

    assert.equal(
      signAddress('tencent', { ...input, address }),
      `${address}?txSecret=f85a2ab363fe4deaffef9754d79da6fe&txTime=5C271099`,
    )
  })

  test('signs the name of the stream alike for HLS and FLV', () => {
    for (const address of ['https://p.example/live/test.m3u8', 'https://p.example/live/test.flv'])
      assert.match(
        signAddress('tencent', { ...input, address }),
        /\?txSecret=f85a2ab363fe4deaffef9754d79da6fe&/,
      )
  })
})
