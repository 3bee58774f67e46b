import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordKey, recordText } from '../../src/domain/records/record-text.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { startChild, type Child } from '../_child.ts'
import { callHttps, withService, type HttpResponse } from '../_service.ts'
import { exchange } from '../faults/_raw.ts'
import { KEY, makeDataFolder, TOKEN } from '../faults/_site.ts'

const UTC = zone('UTC')

const EXPECTED = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function assertSafe(headers: HttpResponse['headers'], what: string): void {
  for (const [name, value] of Object.entries(EXPECTED))
    assert.equal(headers[name], value, `${what}: ${name}`)
  assert.equal(headers['strict-transport-security'], undefined, what)
}

/** The headers of a raw response. */
const readHead = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .slice(0, text.indexOf('\r\n\r\n'))
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(/: (.*)/s) as [string, string])
      .map(([name, value]) => [name.toLowerCase(), value]),
  )

const THEME = `stations/theme/data?token=${TOKEN}&stations=1&limit=1`
const CALLS: [number, string, string, Record<string, string>?][] = [
  [200, 'GET', `/api/v1/${THEME}`],
  [200, 'GET', `/api/v1/${THEME.replace('/data', '//data')}`],
  [200, 'GET', `/api/v1/structures?token=${TOKEN}`],
  [200, 'GET', '/openapi.json'],
  [400, 'GET', `/api/v1/stations/theme/data?token=${TOKEN}`],
  [401, 'GET', '/api/v1/structures'],
  [400, 'POST', '/api/v1/oauth2/token'],
  [404, 'GET', '/nothing'],
  [400, 'GET', '/%zz'],
  [401, 'POST', '/ingest/v1/theme'],
  [200, 'POST', '/ingest/v1/theme', { authorization: `Bearer ${KEY}` }],
  [200, 'GET', `/manage/v1/rejects?token=${TOKEN}`],
  [417, 'POST', '/ingest/v1/theme', { expect: 'wonders' }],
]

async function responsesOf(child: Child) {
  return Promise.all(
    CALLS.map(async ([status, method, path, headers = {}]) => {
      const body = method === 'POST' ? '{"records":[]}' : undefined
      const response = await callHttps(`${child.origin}${path}`, child.certificate, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        body,
      })
      assert.equal(response.status, status, `${method} ${path}: ${response.text}`)
      return { what: `${method} ${path}`, headers: response.headers }
    }),
  )
}

test('every response forbids caches, referrers, sniffing and frames', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)

  for (const { what, headers } of await responsesOf(child)) assertSafe(headers, what)
  for (const text of ['no HTTP', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`])
    assertSafe(readHead(await exchange(child, `${text}\r\n\r\n`)), text.slice(0, 20))
  for (const path of ['/health/live', '/health/ready', '/metrics', '/nothing']) {
    const { headers } = await fetch(`${child.opsOrigin}${path}`)
    assertSafe(Object.fromEntries(headers), path)
  }
})

test('a long response and one in gzip have the headers too', async () => {
  await using data = await makeDataFolder(async (storage) => {
    const times = Array.from({ length: 20_000 }, (_, at) => Date.UTC(2026, 0, 1) + at * 1000)
    const records = times.map((at) => recordText([recordKey('v')], [1], UTC.toLocal(at)))
    await storage.records.write({ theme: { sources: times.map(() => 1), times, records } })
  })
  await using child = await startChild(data.folder)
  const path = `/api/v1/stations/theme/data?token=${TOKEN}&stations=1&startTime=2026-01-01+00:00:00&endTime=2026-02-01+00:00:00`

  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': encoding }
    const response = await callHttps(`${child.origin}${path}`, child.certificate, { headers })
    assert.equal(response.status, 200)
    assert.ok(response.text.length > 500_000)
    assertSafe(response.headers, encoding)
  }
})

test('HSTS is sent only when a setting has its duration', async () => {
  await using service = await withService({ settings: { 'http.hstsSeconds': 31_536_000 } })

  for (const path of ['/openapi.json', '/nothing', '/docs/']) {
    const { headers } = await service.call(path)
    assert.equal(headers['strict-transport-security'], 'max-age=31536000', path)
  }
})

const get = (...lines: string[]): string =>
  ['GET /api/v1/structures HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n')

test('two Host headers, or one that is not a host, are a 400 on every path', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  const paths = [`/api/v1/${THEME}`, `/api/v1/structures?token=${TOKEN}`, '/nothing', '/docs/']
  const hosts = [
    ['Host: a', 'Host: b'],
    ['Host: a', 'hOST: a'],
    ['Host: a b'],
    ['Host: a/b'],
    ['Host: user@a'],
    ['Host: a:b'],
    ['Host: a:123456'],
    ['Host: [::1'],
    ['Host: a\u00e9'],
    ['Host: a#'],
  ]

  for (const path of paths)
    for (const lines of hosts) {
      const text = await exchange(child, get(...lines).replace('/api/v1/structures', path))
      assert.match(text, /^HTTP\/1\.1 400 /, `${path} ${lines.join(' ')}`)
      assert.match(text, /the header \\"Host\\" is (repeated|not a host name or address)/)
    }
})

test('nothing is read behind a request with an invalid Host', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)

  for (const host of ['', 'Host: a\r\nHost: b\r\n', 'Host: a b\r\n'])
    for (const path of ['/nothing', `/api/v1/${THEME}`]) {
      const responses = await exchange(child, `GET ${path} HTTP/1.1\r\n${host}\r\n${SMUGGLED}`)
      assert.match(responses, /^HTTP\/1\.1 400 /, host)
      assert.equal(responses.match(/HTTP\/1\.1/g)?.length, 1, host)
    }
})

test('a Host that is a name, an address or has a port is accepted', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)

  for (const host of [
    'a',
    'a_b.example:8443',
    '127.0.0.1',
    '[::1]:8443',
    '[fe80::1%25eth0]',
    'a:',
    '',
  ])
    assert.match(await exchange(child, get(`Host: ${host}`)), /^HTTP\/1\.1 401 /, host)
})

const POST = `POST /ingest/v1/theme HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`
const BODY = '{"records":[]}'
const SMUGGLED = 'GET /api/v1/structures HTTP/1.1\r\nHost: a\r\n\r\n'
const AMBIGUOUS: Record<string, string> = {
  'two lengths': `${POST}Content-Length: 14\r\nContent-Length: 0\r\n\r\n${BODY}`,
  'one length twice': `${POST}Content-Length: 14\r\nContent-Length: 14\r\n\r\n${BODY}`,
  'a length in a list': `${POST}Content-Length: 14, 14\r\n\r\n${BODY}`,
  'a length with a sign': `${POST}Content-Length: +14\r\n\r\n${BODY}`,
  'length and chunks': `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  'chunks and length': `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  'chunks that are not last': `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  'chunks under another name': `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  'a blank before the colon': `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  'a header folded': `${POST}X: 1\r\n Content-Length: 14\r\nContent-Length: 0\r\n\r\n${BODY}`,
  'a header line ended by LF': `${POST}X: 1\nContent-Length: 14\r\n\r\n${BODY}`,
  'a header line ended by CR': `${POST}X: 1\rContent-Length: 14\r\n\r\n${BODY}`,
  'headers ended by LF': `${POST}Content-Length: 14\n\n${BODY}`,
  'a chunk size ended by LF': `${POST}Transfer-Encoding: chunked\r\n\r\ne\n${BODY}\r\n0\r\n\r\n`,
  'a chunk ended by LF': `${POST}Transfer-Encoding: chunked\r\n\r\ne\r\n${BODY}\n0\r\n\r\n`,
  'a chunk size with a sign': `${POST}Transfer-Encoding: chunked\r\n\r\n+e\r\n${BODY}\r\n0\r\n\r\n`,
  'a chunk size beyond all numbers': `${POST}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`,
}

test('a request with an ambiguous end is a 400, and nothing behind it is read', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)

  for (const [what, text] of Object.entries(AMBIGUOUS)) {
    const responses = await exchange(child, text)
    assert.match(responses, /^HTTP\/1\.1 400 /, what)
    assert.equal(responses.match(/HTTP\/1\.1/g)?.length, 1, what)
  }
})
