import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { SourceError } from './opened-source.ts'
import { parseSource } from './parse-source.ts'

const PORTS = { rtsp: 554, rtsps: 322, rtmp: 1935, rtmps: 443, http: 80, https: 443 } as const

const printable = (without: RegExp) =>
  fc.string({ unit: 'binary-ascii', maxLength: 20 }).map((text) => text.replace(without, ''))

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/)
const host = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
  fc.ipV4(),
  fc.ipV6().filter((address) => isIP(address) === 6),
)
const secret = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .filter((text) => !/\p{Cc}/u.test(text))
const source = fc.record(
  {
    scheme: fc.constantFrom('rtsp', 'rtsps', 'rtmp', 'rtmps', 'http', 'https'),
    host,
    port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
    path: printable(/[^\x21-\x7e]/g).map((text) => `/${text}`),
    credentials: fc.option(
      fc.record({ user: secret, password: secret }, { noNullPrototype: true }),
      { nil: undefined },
    ),
  },
  { noNullPrototype: true },
)

describe('parseSource', () => {
  test('reads every source that an independent writer writes', () => {
    fc.assert(
      fc.property(source, ({ scheme, host, port, path, credentials }) => {
        const { user, password } = credentials ?? {}
        const login =
          credentials === undefined
            ? ''
            : `${encodeURIComponent(user!)}:${encodeURIComponent(password!)}@`
        const place = `${isIP(host) === 6 ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`

        const parsed = parseSource(`${scheme}://${login}${place}${path}`)

        assert.deepEqual(parsed, {
          scheme,
          host: host.toLowerCase(),
          port: port ?? PORTS[scheme],
          path,
          credentials,
        })
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('reads any text or throws a SourceError, which shows nothing of a password', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(fc.constantFrom('rtsp', 'http', 'gopher', ''), fc.string({ unit: 'binary-ascii' }))
        .map(([scheme, rest]) => `${scheme}://admin:hunter2@${rest}`),
    )
    fc.assert(
      fc.property(text, (text) => {
        try {
          parseSource(text)
        } catch (error) {
          assert.ok(error instanceof SourceError)
          assert.doesNotMatch(error.message, /hunter2/)
        }
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('takes the last @ for the end of a password, and keeps the path of a vendor', () => {
    const path = '/cam/realmonitor?channel=1&subtype=0&user=a@b#unicast'

    assert.deepEqual(parseSource(`RTSP://admin:p@ss:word@Cam-1.Local.${path}`), {
      scheme: 'rtsp',
      host: 'cam-1.local',
      port: 554,
      path,
      credentials: { user: 'admin', password: 'p@ss:word' },
    })
  })

  test('a user may have no password, and an address no path', () => {
    assert.deepEqual(parseSource('http://viewer@10.0.0.7'), {
      scheme: 'http',
      host: '10.0.0.7',
      port: 80,
      path: '/',
      credentials: { user: 'viewer', password: '' },
    })
    assert.deepEqual(parseSource('http://[2001:DB8::1]:8080?x=1'), {
      scheme: 'http',
      host: '2001:db8::1',
      port: 8080,
      path: '/?x=1',
      credentials: undefined,
    })
  })

  test('a file is named below its folder', () => {
    assert.deepEqual(parseSource('file:north/pier 1.mp4'), {
      scheme: 'file',
      name: 'north/pier 1.mp4',
    })
    for (const name of [
      '',
      '/etc/passwd',
      '../x.mp4',
      'a/../../x',
      'a\\..\\b',
      './a',
      'a//b',
      'a\0',
    ])
      assert.throws(() => parseSource(`file:${name}`), /^SourceError: The name of a file/)
  })

  test('numbers that resolvers take for addresses are no hosts', () => {
    for (const host of [
      '127.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '127.0.0.01',
      '127.0.0.1.1',
      '1.0x',
      'cam.0x7f',
      '127.0.0.1..',
      '[::1%eth0]',
      '[127.0.0.1]',
      '[cam]',
      '[::1',
      'a..b',
      '-a',
      'a b'.replace(' ', '%20'),
      '',
    ])
      for (const scheme of ['rtsp', 'http'])
        assert.throws(() => parseSource(`${scheme}://${host}/x`), /^SourceError: The host/, host)
  })

  test('what cannot be read is named', () => {
    for (const [text, sentence] of [
      ['', /^A source begins with rtsp:\/\/, rtsps:\/\/, rtmp:\/\/, rtmps:\/\/, http:\/\/, https:/],
      ['10.0.0.7/live', /^A source begins with/],
      ['rtsp:10.0.0.7/live', /^A source begins with/],
      ['ftp://10.0.0.7/live', /^A source begins with/],
      ['concat:rtsp://10.0.0.7', /^A source begins with/],
      ['rtsp://10.0.0.7/a b', /^A source has only printable ASCII/],
      ['rtsp://10.0.0.7/a\r\nX: y', /^A source has only printable ASCII/],
      ['rtsp://10.0.0.7/a\r\n', /^A source has only printable ASCII/],
      ['rtsp://10.0.0.7/桥', /^A source has only printable ASCII/],
      ['rtsp://a:50%@10.0.0.7/', /has a wrong percent escape; % itself is written %25\.$/],
      ['rtsp://a:b%0d%0aX@10.0.0.7/', /has a control character\.$/],
      ['rtsp://10.0.0.7:0/', /^The port of a source is a number from 1 to 65535\.$/],
      ['rtsp://10.0.0.7:65536/', /^The port/],
      ['rtsp://10.0.0.7:x/', /^The host/],
    ] as const)
      assert.throws(() => parseSource(text), { name: 'SourceError', message: sentence }, text)
  })
})
