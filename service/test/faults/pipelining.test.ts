import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { withService } from '../_service.ts'
import { connectRaw, exchange, splitResponses } from './_raw.ts'
import { makeDataFolder } from './_site.ts'
import { stallAll } from './_stalled.ts'

const MEGABYTE = 2 ** 20
/** What is made for stalled clients is made within it. */
const SETTLED_MILLISECONDS = 2_000
const LIBRARY = '/docs/js/scalar.js'
const FILES = ['/openapi.json', LIBRARY]

const requestText = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

/** The line of the log about a request that carried no valid token. */
const refused = (path: string) => new RegExp(`security.token-refused.*/api/v1/${path}"`)

for (const [path, headers, ahead] of [
  [LIBRARY, '', 1],
  [LIBRARY, 'Accept-Encoding: gzip\r\n', 200],
  ['/openapi.json', '', 200],
] as const)
  test(`connections that read nothing of ${ahead} times ${path} ${headers.trim()} cost little memory`, async (t) => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    await exchange(child, requestText(path, `${headers}Connection: close\r\n`))
    await stallAll(child, 10, requestText('/nothing', headers), t)
    await sleep(SETTLED_MILLISECONDS)
    const before = await child.memory()

    await stallAll(child, 40, requestText(path, headers).repeat(ahead), t)

    await sleep(SETTLED_MILLISECONDS)

    const grown = (await child.memory()) - before
    assert.ok(grown < 90 * MEGABYTE, `memory grew by ${grown / MEGABYTE} MB`)
  })

test('two hundred requests for a public file sent at once get whole responses', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  const last = requestText('/openapi.json', 'Connection: close\r\n')

  const responses = splitResponses(
    await exchange(child, requestText('/openapi.json').repeat(199) + last),
  )

  assert.equal(responses.length, 200)
  for (const { status, body } of responses) {
    assert.equal(status, 200)
    assert.ok(body === responses[0]!.body)
  }
  assert.equal(JSON.parse(Buffer.from(responses[0]!.body, 'latin1').toString()).openapi, '3.1.0')
})

test('requests far ahead of the responses are a 429, and the connection is closed', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)

  const responses = splitResponses(await exchange(child, requestText('/x').repeat(500)))

  assert.ok(responses.length < 500)
  assert.equal(responses.at(-1)!.status, 429)
})

test('while responses wait to be read, the requests behind them wait', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  await exchange(child, requestText(LIBRARY, 'Connection: close\r\n'))
  const socket = await connectRaw(child)
  t.after(() => socket.destroy())
  socket.pause()
  socket.write(requestText(LIBRARY).repeat(8))
  await sleep(1_000)
  socket.write(requestText('/api/v1/structures?token=wrong'))
  await sleep(500)

  await exchange(
    child,
    requestText('/api/v1/alarms/1/details?token=wrong', 'Connection: close\r\n'),
  )

  await eventually(() => assert.match(child.logged, refused('alarms/:\\w+/details')))
  assert.doesNotMatch(child.logged, refused('structures'))
  socket.resume()
  await eventually(() => assert.match(child.logged, refused('structures')))
})

test('a public file has a tag for each of its forms, and is sent only where it has changed', async () => {
  await using service = await withService()
  for (const path of FILES) {
    const plain = await service.call(path, { headers: { 'accept-encoding': 'identity' } })
    const zipped = await service.call(path, { headers: { 'accept-encoding': 'gzip' } })
    const head = await service.call(path, { method: 'HEAD' })

    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.equal(zipped.text, plain.text)
    assert.notEqual(zipped.headers['etag'], plain.headers['etag'])
    assert.equal(Number(head.headers['content-length']), plain.bytes.length)
    assert.equal(head.text, '')
    const tag = String(zipped.headers['etag'])
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': `"other", W/${tag}` }
    const again = await service.call(path, { headers })
    assert.equal(again.status, 304)
    assert.equal(again.bytes.length, 0)
  }
})
