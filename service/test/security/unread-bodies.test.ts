import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { connectRaw, exchange, readToEnd, splitResponses, until } from '../faults/_raw.ts'
import { KEY, makeDataFolder, TOKEN, type DataFolder } from '../faults/_site.ts'
import { BASIC, gzipOf, head, MEGABYTE, post, withToken, WITH_KEY, WRONG_BASIC } from './_bodies.ts'

let data: DataFolder
let child: Child

before(async () => {
  data = await makeDataFolder()
  child = await startChild(data.folder)
})

after(async () => {
  await child[Symbol.asyncDispose]()
  await data[Symbol.asyncDispose]()
})

const TOKEN_PATH = '/api/v1/oauth2/token'

/** Whoever asks for these is refused by their head alone. */
const REFUSED: Record<string, [path: string, headers: Record<string, string>, status: number]> = {
  'an unknown path': ['/nothing/here', {}, 404],
  'an unknown path of the interface': ['/api/v1/nothing', {}, 404],
  'an unknown path of ingest': ['/ingest/v1/nothing', WITH_KEY, 404],
  'a missing ingest key': ['/ingest/v1/theme', {}, 401],
  'a wrong ingest key': ['/ingest/v1/raw', { Authorization: 'Bearer no' }, 401],
  'a missing token': ['/api/v1/users/1/alarms', {}, 401],
  'a wrong token': [`/api/v1/users/1/alarms?token=${TOKEN.replace('3', '4')}`, {}, 401],
  'a missing token of management': ['/manage/v1/thresholds', {}, 404],
  'missing credentials': [TOKEN_PATH, {}, 400],
  'wrong credentials': [TOKEN_PATH, WRONG_BASIC, 400],
}

describe('a request that is refused by its headers', () => {
  for (const [name, [path, headers, status]] of Object.entries(REFUSED))
    test(`${name} gets its response before a byte of the body comes`, async () => {
      for (const length of [
        { 'Content-Length': 30 * MEGABYTE },
        { 'Transfer-Encoding': 'chunked' },
      ]) {
        const responses = splitResponses(
          await exchange(child, head(path, { ...headers, ...length })),
        )

        assert.deepEqual(
          responses.map((response) => response.status),
          [status],
        )
        assert.match(responses[0]!.head, /^connection: close$/im)
      }
    })

  test('costs no work for a body of any content', async () => {
    const pairs = await gzipOf('a&', 8 * MEGABYTE)
    const values = await gzipOf('[],', 8 * MEGABYTE)
    const work = await child.processorSeconds()

    for (const [path, headers, status] of Object.values(REFUSED))
      for (const [type, body] of [
        ['application/x-www-form-urlencoded', pairs],
        ['application/json', values],
      ] as const) {
        const packed = { ...headers, 'Content-Type': type, 'Content-Encoding': 'gzip' }
        const response = await post(child, path, body, packed)
        // Ten wrong credentials and more are throttled: that is said by the head alone, too.
        if (response.status !== 429) assert.equal(response.status, status, path)
      }

    const worked = (await child.processorSeconds()) - work
    assert.ok(worked < 2, `it worked for ${worked} s`)
  })

  test('a client that is still sending gets the response, and is disconnected when it continues', async () => {
    const socket = await connectRaw(child)
    const response = readToEnd(socket)
    const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
    let sent = 0
    socket.write(head('/nothing', { 'Content-Length': 1024 * MEGABYTE }))
    const timer = setInterval(() => {
      sent += MEGABYTE
      socket.write(Buffer.alloc(MEGABYTE))
    }, 20)
    socket.once('close', () => clearInterval(timer))

    assert.match(await response, /^HTTP\/1\.1 404 /)
    const isClosed = await Promise.race([closed, sleep(10_000, false)])
    clearInterval(timer)
    socket.destroy()

    assert.ok(isClosed)
    assert.ok(sent < 512 * MEGABYTE)
  })

  test('at most some megabytes of an unread body are read', async () => {
    const socket = await connectRaw(child)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const before = await child.bytesRead()
    socket.write(head('/nothing', { 'Content-Length': 4096 * MEGABYTE }))
    socket.resume()
    const chunk = Buffer.alloc(MEGABYTE)
    while (!socket.destroyed && socket.bytesWritten < 1024 * MEGABYTE)
      if (!socket.write(chunk))
        await Promise.race([closed, once(socket, 'drain').catch(() => undefined)])
    await closed

    const read = (await child.bytesRead()) - before
    assert.ok(read < 16 * MEGABYTE, `${read} bytes were read`)
  })

  test('a small body keeps the connection open', async () => {
    const body = 'x'.repeat(1_000)
    const refused = head('/nothing', { 'Content-Length': body.length }) + body
    const last = `GET /api/v1/structures?token=${TOKEN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

    const responses = splitResponses(await exchange(child, refused + refused, refused, last))

    assert.deepEqual(
      responses.map(({ status }) => status),
      [404, 404, 404, 200],
    )
  })
})

describe('Expect: 100-continue', () => {
  const EXPECTING = { Expect: '100-continue' }

  test('an authenticated client gets 100 and its response', async () => {
    const body = '{"records":[]}'
    const socket = await connectRaw(child)
    const response = readToEnd(socket)
    const first = once(socket, 'data')
    socket.write(
      head('/ingest/v1/theme', {
        ...WITH_KEY,
        ...EXPECTING,
        'Content-Length': body.length,
        Connection: 'close',
      }),
    )
    assert.match(String((await first)[0]), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write(body)

    assert.match(
      await response,
      /HTTP\/1\.1 200 OK[^]*\{"accepted":0,"replaced":0,"rejected":\[\]\}$/,
    )
  })

  test('a request that is refused by its headers gets no 100', async () => {
    const refused = head('/ingest/v1/theme', { ...EXPECTING, 'Content-Length': 10 })

    const text = await exchange(child, refused)

    assert.match(text, /^HTTP\/1\.1 401 /)
  })
})

test('the token endpoints read forms with valid credentials', async () => {
  const form = { ...BASIC, 'Content-Type': 'application/x-www-form-urlencoded' }

  const good = await post(child, TOKEN_PATH, ' grant_type=client_credentials\n', form)
  const many = await post(child, TOKEN_PATH, 'a&'.repeat(100_000), form)
  const large = await post(child, TOKEN_PATH, 'a'.repeat(300_000), form)

  assert.equal(good.status, 200)
  assert.match(many.body, /a form has at most 100 pairs/)
  assert.match(large.body, /at most 262144 bytes/)
  assert.deepEqual([many.status, large.status], [400, 400])
  assert.ok(await until(async () => child.isRunning, 1))
  assert.ok(!child.logged.includes(KEY))
})

test('outside ingest a body is at most 256 KB after decompression', async () => {
  const body = await gzipOf(' ', MEGABYTE)

  const response = await post(child, withToken('/api/v1/users/1/alarms'), body, {
    'Content-Encoding': 'gzip',
  })

  assert.equal(response.status, 400)
  assert.match(response.body, /at most 262144 bytes/)
})
