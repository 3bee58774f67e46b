import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { answerDigest, chooseDigest, parseChallenges } from './http-digest.ts'

/** The example of RFC 7616, 3.9.1. */
const RFC = {
  user: 'Mufasa',
  password: 'Circle of Life',
  method: 'GET',
  path: '/dir/index.html',
  count: 1,
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
}

const RFC_CHALLENGE = (algorithm: string): string =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`

const choose = (...headers: string[]) => {
  const chosen = chooseDigest(parseChallenges(headers))
  assert.ok(chosen)
  return chosen
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex')

describe('an answer by HTTP digest', () => {
  test('is that of RFC 7616, with MD5 and with SHA-256', () => {
    for (const [algorithm, response] of [
      ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
      ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
    ] as const)
      assert.equal(
        answerDigest(choose(RFC_CHALLENGE(algorithm)), RFC),
        `Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", response="${response}", algorithm=${algorithm}, qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
      )
  })

  test('without qop is that of RFC 2069', () => {
    const response = md5(`${md5('Mufasa:cam:Circle of Life')}:n:${md5('GET:/dir/index.html')}`)

    assert.equal(
      answerDigest(choose('Digest realm="cam", nonce="n"'), RFC),
      `Digest username="Mufasa", realm="cam", nonce="n", uri="/dir/index.html", response="${response}"`,
    )
  })

  test('has names beyond ASCII as the bytes that the camera sent', () => {
    const realm = Buffer.from('摄像机').toString('latin1')
    const answer = answerDigest(choose(`Digest realm="${realm}", nonce="n"`), {
      ...RFC,
      user: '管理',
    })

    assert.match(
      Buffer.from(answer, 'latin1').toString(),
      /^Digest username="管理", realm="摄像机"/,
    )
  })
})

describe('challenges', () => {
  test('are read from one header or from several', () => {
    const one = 'Digest realm="a, \\"b\\"", nonce=x,stale="FALSE" , Basic realm="c"'

    assert.deepEqual(
      parseChallenges([one, 'Negotiate']).map(({ scheme, parameters }) => [scheme, ...parameters]),
      [
        ['Digest', ['realm', 'a, "b"'], ['nonce', 'x'], ['stale', 'FALSE']],
        ['Basic', ['realm', 'c']],
        ['Negotiate'],
      ],
    )
  })

  test('are answered with SHA-256 where that is offered, whatever the order', () => {
    const md5 = 'Digest realm="r", nonce="1"'
    const sha = 'Digest realm="r", nonce="2", algorithm=sha-256'

    for (const headers of [[md5, sha], [sha, md5], [`${md5}, ${sha}`]])
      assert.equal(choose(...headers).parameters.get('nonce'), '2')
  })

  test('that want the password itself, or that nobody can answer, are not answered', () => {
    for (const header of [
      'Basic realm="camera"',
      'Digest realm="r"',
      'Digest realm="r", nonce="n", algorithm=MD5-sess',
      'Digest realm="r", nonce="n", qop="auth-int"',
      'Bearer',
      '',
    ])
      assert.equal(chooseDigest(parseChallenges([header])), undefined, header)
  })

  test('of any text are read without an error, in time that grows with it', () => {
    const part = fc.constantFrom(
      'Digest ',
      'realm',
      '=',
      '"',
      '\\',
      ',',
      ' ',
      'nonce="n"',
      'é',
      '(',
    )
    const header = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 30 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(fc.array(header, { maxLength: 3 }), (headers) => {
        const chosen = chooseDigest(parseChallenges(headers))
        if (chosen !== undefined)
          assert.match(answerDigest(chosen, RFC), /^Digest username="Mufasa"/)
      }),
      { numRuns: runs(5_000) },
    )
    for (const long of [
      'a'.repeat(16_000),
      '"\\'.repeat(8_000),
      'a="'.repeat(5_000),
      'a ='.repeat(5_000),
    ]) {
      const start = performance.now()
      parseChallenges([long])
      assert.ok(performance.now() - start < 500, long.slice(0, 10))
    }
  })
})
