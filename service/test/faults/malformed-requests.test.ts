import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startChild } from '../_child.ts'
import { exchange, splitResponses, type RawResponse, type Server } from './_raw.ts'
import { KEY, makeDataFolder, TOKEN } from './_site.ts'

const MEGABYTE = 1024 * 1024

const GOOD = JSON.stringify({
  records: [{ station: 1, time: 1_700_000_000_000, values: { v: 1 } }],
})

/** Everything of a POST but its body. */
const head = (headers: Record<string, string | number>, path = '/ingest/v1/theme'): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${KEY}`,
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n')

async function send(server: Server, ...parts: (string | Uint8Array)[]): Promise<RawResponse> {
  const [response] = splitResponses(await exchange(server, ...parts))
  if (response === undefined) throw new Error('the connection was closed without an answer')
  return response
}

/** A refusal says `{name, message}` and repeats no secret. */
function assertRefusal({ status, body }: RawResponse, expected: number): void {
  assert.equal(status, expected, body)
  const refusal = JSON.parse(body) as Record<string, unknown>
  assert.deepEqual(Object.keys(refusal), ['name', 'message'])
  assert.ok(Object.values(refusal).every((value) => typeof value === 'string' && value !== ''))
  assert.ok(!body.includes(KEY) && !body.includes(TOKEN))
}

describe('bodies that are not what their headers say', () => {
  test('truncated or broken gzip is a 400', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const zipped = gzipSync(GOOD)
    const broken = Buffer.from(zipped)
    broken[15]! ^= 0xff
    const wrongSum = Buffer.from(zipped)
    wrongSum[zipped.length - 8]! ^= 1
    const bodies = [
      zipped.subarray(0, -1),
      zipped.subarray(0, 12),
      zipped.subarray(0, 3),
      broken,
      wrongSum,
      Buffer.from(GOOD),
      Buffer.from([0]),
    ]

    for (const body of bodies) {
      const headers = { 'Content-Encoding': 'gzip', 'Content-Length': body.length }
      assertRefusal(await send(child, head({ ...headers, Connection: 'close' }), body), 400)
    }
    const other = head({ 'Content-Encoding': 'br', 'Content-Length': 1, Connection: 'close' })
    assertRefusal(await send(child, other, '1'), 400)
    const whole = { 'Content-Encoding': 'gzip', 'Content-Length': zipped.length }
    assert.equal(
      (await send(child, head({ ...whole, Connection: 'close' }), zipped)).body,
      '{"accepted":1,"replaced":0,"rejected":[]}',
    )
  })

  // One member becomes 16 MB: together they are 1 GB out of 1 MB, and 16 GB out of 16 MB.
  for (const members of [64, 1_000])
    test(`a gzip bomb of ${members} members is refused at the body limit, without its memory and work`, async () => {
      await using data = await makeDataFolder()
      await using child = await startChild(data.folder)
      await send(child, head({ 'Content-Length': GOOD.length, Connection: 'close' }), GOOD)
      const member = gzipSync(Buffer.alloc(16 * MEGABYTE, ' '))
      const bomb = Buffer.concat(Array.from({ length: members }, () => member))
      const memory = await child.memory()
      const work = await child.processorSeconds()

      const headers = { 'Content-Encoding': 'gzip', 'Content-Length': bomb.length }
      assertRefusal(await send(child, head(headers), bomb), 413)

      const grown = (await child.memory()) - memory
      assert.ok(grown < 100 * MEGABYTE, `memory grew by ${grown}`)
      await sleep(1_000)
      const worked = (await child.processorSeconds()) - work
      assert.ok(worked < 0.9, `it worked for ${worked} s`)
    })

  const MILLIONS = {
    'application/json': `{"records":[${'1,'.repeat(15_000_000)}1]}`,
    'application/x-ndjson': '1\n'.repeat(15_000_000),
  }
  for (const [type, text] of Object.entries(MILLIONS))
    test(`millions of records in one batch of ${type} are refused before each is named`, async () => {
      await using data = await makeDataFolder()
      await using child = await startChild(data.folder, {
        PLUMBLINE_HTTP_MAX_INFLATION_RATIO: '1032',
      })
      const body = gzipSync(text)
      const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip', Connection: 'close' }

      const response = await send(child, head({ ...headers, 'Content-Length': body.length }), body)

      assertRefusal(response, 400)
      assert.match(response.body, /at most (100000 records|3000000 members)/)
      const memory = await child.memory()
      assert.ok(memory < 600 * MEGABYTE, `it took ${memory} bytes`)
    })

  test('a body beyond the limit is a 413, stated or not', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder, { PLUMBLINE_HTTP_MAX_BODY_MEGABYTES: '1' })
    const big = ' '.repeat(MEGABYTE + 1)

    assertRefusal(await send(child, head({ 'Content-Length': big.length }), big), 413)
    assertRefusal(await send(child, head({ 'Content-Length': '999999999999' })), 413)
    const chunk = `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`
    assertRefusal(await send(child, head({ 'Transfer-Encoding': 'chunked' }), chunk), 413)
  })

  test('a wrong Content-Length is a 400, and what follows is no request', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)

    for (const length of ['-1', '1e3', '0x10', '5, 6', 'many', '']) {
      const response = await send(child, head({ 'Content-Length': length }), GOOD)
      assertRefusal(response, 400)
    }
    const both = head({ 'Content-Length': GOOD.length, 'Transfer-Encoding': 'chunked' })
    assertRefusal(await send(child, both, GOOD), 400)

    const short = await exchange(child, head({ 'Content-Length': GOOD.length - 1 }), GOOD)
    const responses = splitResponses(short)
    assert.ok(responses.length >= 1)
    for (const response of responses) assertRefusal(response, 400)
  })

  test('NUL bytes and invalid UTF-8 are refused or stored as what they are, never a 500', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const bodies: [Uint8Array, number][] = [
      [Buffer.from('\0'), 400],
      [Buffer.from(`${GOOD}\0`), 400],
      [Buffer.from([0xff, 0xfe, 0x00]), 400],
      [
        Buffer.concat([
          Buffer.from('{"records":["'),
          Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80]),
          Buffer.from('"]}'),
        ]),
        200,
      ],
      [
        Buffer.from('{"records":[{"station":"\\u0000","time":"\\u0000","values":{"\\u0000":0}}]}'),
        200,
      ],
      [Buffer.from('\u{feff}{"records":[]}'), 200],
      [Buffer.from(GOOD, 'utf16le'), 400],
    ]
    for (const [body, status] of bodies) {
      const response = await send(
        child,
        head({ 'Content-Length': body.length, Connection: 'close' }),
        body,
      )
      assert.equal(response.status, status, response.body)
      if (status === 400) assertRefusal(response, 400)
    }
    assert.ok(child.logged.includes('request completed'))
    assert.ok(!/"level":[56]0/.test(child.logged))
  })
})

describe('requests that are no HTTP', () => {
  const LINES: Record<string, string> = {
    garbage: '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
    'another version': 'GET / HTTP/3.7\r\nHost: a\r\n\r\n',
    'a NUL in a header': 'GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n',
    'a NUL in the path': `GET /api/v1/structures?token=${TOKEN}\0 HTTP/1.1\r\nHost: a\r\n\r\n`,
    'a blank in the path': `GET /api/v1/structures?token=${TOKEN} &a=b c HTTP/1.1\r\nHost: a\r\n\r\n`,
    'a folded header': 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n',
    'no name of a header': 'GET / HTTP/1.1\r\nHost: a\r\n: 2\r\n\r\n',
    'no host': `GET /api/v1/structures?token=${TOKEN} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    'an unknown method': `BREW /api/v1/structures?token=${TOKEN} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'a wrong chunk': `${head({ 'Transfer-Encoding': 'chunked' })}zz\r\n`,
    'another transfer encoding': `${head({ 'Transfer-Encoding': 'gzip' })}5\r\nabcde\r\n0\r\n\r\n`,
  }

  test('are a 400 that repeats nothing', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)

    for (const [name, text] of Object.entries(LINES)) {
      const response = await send(child, Buffer.from(text, 'latin1'))
      try {
        assertRefusal(response, 400)
      } catch (error) {
        throw new Error(`${name}: ${response.head} ${response.body}`, { cause: error })
      }
    }
    assert.ok(child.isRunning)
    assert.ok(!child.logged.includes(TOKEN) && !child.logged.includes(KEY))
  })

  test('an unknown expectation is refused with an error of the service', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const headers = { Expect: 'the-impossible', 'Content-Length': 0, Connection: 'close' }

    assertRefusal(await send(child, head(headers)), 417)
  })

  test('headers of 100 KB are a 431, and a path of 10 KB gets a response', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)

    const big = await send(child, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)
    assertRefusal(big, 431)
    const many = Array.from({ length: 5_000 }, (_, at) => `X${at}: ${at}`).join('\r\n')
    assertRefusal(await send(child, `GET / HTTP/1.1\r\nHost: a\r\n${many}\r\n\r\n`), 431)
    const long = 'a'.repeat(10_000)
    const path = `GET /${long}?token=${TOKEN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    assertRefusal(await send(child, path), 404)
    const stations = Array.from({ length: 2_000 }, (_, at) => at + 1).join()
    const theme = `GET /api/v1/stations/theme/data?token=${TOKEN}&limit=1&stations=${stations} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    assertRefusal(await send(child, theme), 400)
  })
})

const get = (path: string, close = false): string =>
  `GET /api/v1${path}${path.includes('?') ? '&' : '?'}token=${TOKEN} HTTP/1.1\r\nHost: a\r\n${close ? 'Connection: close\r\n' : ''}\r\n`

describe('pipelined requests', () => {
  test('get their responses in order', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const post = `${head({ 'Content-Length': GOOD.length })}${GOOD}`

    const text = await exchange(
      child,
      get('/structures'),
      post + get('/structures/9999/factors') + get('/nothing') + post,
      get('/stations/theme/data?stations=1&limit=1', true),
    )

    const responses = splitResponses(text)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 404, 404, 200, 200],
    )
    assert.equal(responses[1]!.body, '{"accepted":1,"replaced":0,"rejected":[]}')
    assert.equal(responses[4]!.body, '{"accepted":1,"replaced":1,"rejected":[]}')
  })

  test('a hundred at once all get a response', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const one = `GET /api/v1/structures?token=${TOKEN} HTTP/1.1\r\nHost: a\r\n\r\n`
    const last = one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

    const responses = splitResponses(await exchange(child, one.repeat(99) + last))

    assert.equal(responses.length, 100)
    assert.ok(responses.every(({ status }) => status === 200))
  })

  test('far too many get responses or a 429 at the end', async () => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const one = `GET /api/v1/structures?token=${TOKEN} HTTP/1.1\r\nHost: a\r\n\r\n`
    const last = one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

    const responses = splitResponses(await exchange(child, one.repeat(9_999) + last))

    const statuses = responses.map(({ status }) => status)
    const end = statuses.length === 10_000 ? 200 : 429
    assert.ok(statuses.slice(0, -1).every((status) => status === 200))
    assert.equal(statuses.at(-1), end)
  })
})
