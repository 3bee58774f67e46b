import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { connect } from 'node:tls'
import { startChild, type Child } from '../_child.ts'
import { countSockets, exchange, splitResponses, until } from '../faults/_raw.ts'
import { KEY, makeDataFolder, TOKEN, type DataFolder } from '../faults/_site.ts'

const RECORDS = 20_000
const LONG = `/api/v1/stations/theme/data?token=${TOKEN}&stations=1&startTime=2024-01-01+00:00:00&endTime=2025-01-01+00:00:00`

let data: DataFolder
let child: Child

before(async () => {
  data = await makeDataFolder(async (storage) => {
    const times = Array.from({ length: RECORDS }, (_, at) => Date.UTC(2024, 0, 1) + at * 60_000)
    const records = times.map((time) => `{"v":${time % 997},"time":"2024-01-01 00:00:00"}`)
    await storage.records.write({ theme: { sources: times.map(() => 1), times, records } })
  })
  child = await startChild(data.folder)
})

after(async () => {
  await child[Symbol.asyncDispose]()
  await data[Symbol.asyncDispose]()
})

test('HTTP/1.0 gets a long response whole, without chunks, and the connection ends with it', async () => {
  const text = await exchange(child, `GET ${LONG} HTTP/1.0\r\n\r\n`)

  const [head = '', body = ''] = text.split('\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 200 .*\r\nConnection: close$/s)
  assert.doesNotMatch(head, /transfer-encoding/i)
  assert.equal(JSON.parse(body).stations[0].data.length, RECORDS)
})

test('HEAD has the headers of GET and no body, and the connection stays open', async () => {
  const next = 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  for (const path of [LONG, '/openapi.json', `/api/v1/structures?token=${TOKEN}`]) {
    const text = await exchange(child, `HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n${next}`)

    const [head = '', second = ''] = text.split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 200 .*content-type: application\/json/s, path)
    assert.match(second, /^HTTP\/1\.1 404 /, path)
  }
})

test('methods of no path are a 404, or a 400 where HTTP does not have them', async () => {
  const CLOSE = 'Host: a\r\nConnection: close\r\n\r\n'
  for (const [line, status] of [
    [`OPTIONS ${LONG}`, 404],
    ['OPTIONS *', 404],
    [`TRACE ${LONG}`, 404],
    [`DELETE ${LONG}`, 404],
    ['GRAB /', 400],
    ['CONNECT a:443', 400],
  ] as const) {
    const [response] = splitResponses(await exchange(child, `${line} HTTP/1.1\r\n${CLOSE}`))

    assert.equal(response?.status, status, line)
    assert.match(response.head, /cache-control: no-store/, line)
    assert.ok(JSON.parse(response.body).message.length > 0, line)
  }
})

test('an upgrade to another protocol is ignored, and the request gets its response', async () => {
  const body = `{"records":[{"station":2,"time":1700000000000,"values":{"v":1}}]}`
  for (const protocol of ['h2c', 'websocket', 'TLS/1.3']) {
    const upgrade = `Host: a\r\nConnection: close, Upgrade\r\nUpgrade: ${protocol}\r\n`
    const get = await exchange(child, `GET /openapi.json HTTP/1.1\r\n${upgrade}\r\n`)
    const post = await exchange(
      child,
      `POST /ingest/v1/theme HTTP/1.1\r\n${upgrade}Authorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )

    assert.equal(splitResponses(get)[0]?.status, 200, protocol)
    assert.equal(JSON.parse(splitResponses(post)[0]!.body).accepted, 1, protocol)
  }
})

test('HTTP/2 is refused in the handshake, and its preface by a 400', async () => {
  const idle = await countSockets(child.pid)
  const preface = await exchange(child, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const socket = connect({
    port: Number(new URL(child.origin).port),
    host: '127.0.0.1',
    servername: 'localhost',
    ca: child.certificate,
    ALPNProtocols: ['h2'],
  })
  const [error] = (await once(socket, 'error')) as [Error]

  assert.equal(splitResponses(preface)[0]?.status, 400)
  assert.match(error.message, /no application protocol/)
  assert.ok(await until(async () => (await countSockets(child.pid)) <= idle, 5))
  assert.doesNotMatch(child.logged, /"level":[456]0/)
})
