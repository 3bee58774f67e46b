import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { createApplication } from '../../src/site/applications.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { eventually } from '../_eventually.ts'
import { callHttps } from '../_service.ts'
import { connectRaw, exchange, readToEnd } from '../faults/_raw.ts'
import { KEY, makeDataFolder, TOKEN } from '../faults/_site.ts'
import { makeYear, stall } from '../faults/_stalled.ts'
import { linesOf, openClients, pidOf, readState, startWorkers, STRUCTURES } from './_workers.ts'

const FROM = Date.UTC(2026, 0, 1)
const MEGABYTE = 1024 * 1024
const THEME = `/api/v1/stations/theme/data?stations=1&startTime=2026-01-01%2000:00:00&endTime=2026-01-01%2001:00:00&token=${TOKEN}`

/** The head of an ingest request whose client waits before it sends the body. */
const expecting = (key: string): string =>
  `POST /ingest/v1/theme HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 14\r\n\r\n`

const ingest = (value: number, at: number) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
  body: JSON.stringify({ records: [{ station: 1, time: FROM + at * 1000, values: { v: value } }] }),
})

describe('three workers', () => {
  test('send the same bytes, and share connections evenly', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 3)
    const clients = await openClients(t, child, [1, 2, 3])
    await clients[0]!.call('/ingest/v1/theme', ingest(1, 0))

    for (const path of [
      STRUCTURES,
      THEME,
      `${THEME}&limit=1`,
      `/api/v1/structures/1/factors?token=${TOKEN}`,
      `/api/v1/structures/9/factors?token=${TOKEN}`,
      `/api/v1/nothing?token=${TOKEN}`,
      '/api/v1/structures',
      '/openapi.json',
      '/streams/1/index.m3u8',
    ])
      for (const encoding of ['identity', 'gzip']) {
        const headers = { 'accept-encoding': encoding }
        const responses = await Promise.all(clients.map(({ call }) => call(path, { headers })))
        const [first, ...others] = responses.map(({ status, bytes, headers: sent }) => {
          const names = Object.entries(sent).filter(([name]) => name !== 'date')
          return { status, bytes, headers: Object.fromEntries(names) }
        })
        for (const other of others) assert.deepEqual(other, first, path)
      }
    const { wanted, answering, workers } = await readState(child)
    assert.deepEqual([wanted, answering], [3, 3])
    assert.deepEqual(
      workers.map(({ connections }) => connections),
      [1, 1, 1],
    )
  })

  test('store what one of them receives, and all of them send it', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 3)
    const clients = await openClients(t, child, [1, 2, 3])

    for (const [at, { call }] of clients.entries()) {
      const stored = await call('/ingest/v1/theme', ingest(at, at))
      assert.deepEqual(stored.json(), { accepted: 1, replaced: 0, rejected: [] })
      for (const { call: read } of clients)
        assert.equal((await read(THEME)).json<any>().stations[0].data.length, at + 1)
    }
  })

  test('refuse a token at once that was invalidated at one of them', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 3)
    const clients = await openClients(t, child, [1, 2, 3])
    const { appId, appSecret, token } = await issue()
    const path = `/api/v1/structures?token=${token}`
    for (const { call } of clients) assert.equal((await call(path)).status, 200)

    const invalidated = await clients[2]!.call('/api/v1/oauth2/token/invalidate', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `token=${token}`,
    })

    assert.equal(invalidated.status, 204)
    for (const { call } of clients) assert.equal((await call(path)).status, 401)

    async function issue() {
      await using storage = await openSqlite(data.folder)
      const made = await createApplication(storage, { userId: 1, name: 'test', scope: 'admin' })
      const issued = await clients[1]!.call('/api/v1/oauth2/token', {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${made.appId}:${made.appSecret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      })
      return { ...made, token: issued.json<{ token: string }>().token }
    }
  })

  test('end the responses under way of a token that another process invalidates', async (t) => {
    await using data = await makeYear()
    await using child = await startWorkers(data.folder, 2)
    const sockets = await Promise.all([1, 3, 5, 7].map((at) => stall(child, at)))
    t.after(() => sockets.forEach((socket) => socket.destroy()))
    await eventually(async () => {
      const { workers } = await readState(child)
      assert.deepEqual(
        workers.map(({ connections }) => connections),
        [2, 2],
      )
    })

    await using storage = await openSqlite(data.folder)
    await storage.tokens.invalidate(hashSecret(TOKEN), 'app', Date.now())

    await eventually(async () => {
      const { text } = await child.getOps('/metrics')
      assert.match(text, /^plumbline_security_events_total\{event="security.session-ended"\} 4$/m)
      const { workers } = await readState(child)
      assert.ok(workers.every(({ connections }) => connections === 0))
    })
    const ended = linesOf(child).find(({ event }) => event === 'security.session-ended')
    assert.deepEqual([ended?.from, ended?.worker], ['127.0.0.1', undefined])
  })

  test('allow together as many wrong tokens as one', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 3, {
      PLUMBLINE_ACCESS_FAILURES_PER_MINUTE: '6',
    })
    const clients = await openClients(t, child, [1, 2, 3])
    const guess = async (at: number) => {
      const path = `/api/v1/structures?token=${crypto.randomUUID()}`
      return (await clients[at % 3]!.call(path)).status
    }

    const statuses: number[] = []
    for (let at = 0; at < 9; at++) statuses.push(await guess(at))

    assert.deepEqual(statuses, [...Array(6).fill(401), ...Array(3).fill(429)])
    for (const { call } of clients) assert.equal((await call(STRUCTURES)).status, 200)
  })
})

describe('a request that a worker passes on', () => {
  test('comes from its client, whatever the client says', async () => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)

    for (let at = 0; at < 2; at++) {
      const response = await callHttps(`${child.origin}/api/v1/structures`, child.certificate, {
        headers: { authorization: 'Bearer x', 'x-forwarded-for': '192.0.2.1' },
        localAddress: `127.0.0.${at + 5}`,
      })
      assert.equal(response.status, 401)
    }

    const refused = await eventually(() => {
      const lines = linesOf(child).filter(({ event }) => event === 'security.token-refused')
      assert.equal(lines.length, 2)
      return lines
    })
    assert.deepEqual(
      refused.map(({ from }) => from),
      ['127.0.0.5', '127.0.0.6'],
    )
  })

  test('is streamed: 50 MB take little memory of the worker', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2, {
      PLUMBLINE_HTTP_MAX_BODY_MEGABYTES: '64',
    })
    const [, client] = await openClients(t, child, [1, 2])
    await client!.call('/ingest/v1/theme', ingest(0, 0))
    const pid = await pidOf(child, 2)
    const peak = async (): Promise<number> => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
    }
    await writeFile(`/proc/${pid}/clear_refs`, '5')
    const before = await peak()
    const { body, ...call } = ingest(1, 1)

    const stored = await client!.call('/ingest/v1/theme', {
      ...call,
      body: body.replace('[', `[${' '.repeat(50 * MEGABYTE)}`),
    })

    // Only who has read all of it can say so.
    const [rejected] = stored.json<any>().rejected
    assert.equal(
      rejected.message,
      'a record has at most 262144 bytes of JSON, apart from its lists',
    )
    const grown = (await peak()) - before
    t.diagnostic(`the worker took ${grown.toFixed(1)} MB more`)
    assert.ok(grown < 30, `the worker took ${grown} MB more`)
  })

  test('gets "100 Continue", or a refusal before its body', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)
    for (let at = 0; at < 2; at++) {
      const socket = await connectRaw(child)
      t.after(() => socket.destroy())
      socket.write(expecting(KEY))
      const [first] = (await once(socket, 'data')) as [Buffer]
      assert.match(first.toString(), /^HTTP\/1\.1 100 Continue/)
      socket.write('{"records":[]}')
      const [second] = (await once(socket, 'data')) as [Buffer]
      assert.match(second.toString(), /^HTTP\/1\.1 200 OK/)
      assert.match(await exchange(child, expecting('wrong')), /^HTTP\/1\.1 401 Unauthorized/)
    }
  })

  test('by HTTP/1.0 without a host is answered as by one process', async () => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)

    for (let at = 0; at < 2; at++) {
      const text = await exchange(child, 'GET /openapi.json HTTP/1.0\r\n\r\n')
      assert.match(text, /^HTTP\/1\.1 200 OK/)
    }
  })

  test('without a body needs no length', async () => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)
    const post = `POST /api/v1/alarms/none/confirm?token=${TOKEN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

    const texts = [await exchange(child, post), await exchange(child, post)]

    const [first, second] = texts.map((text) => text.replace(/\r\ndate: .*/i, ''))
    assert.equal(second, first)
  })

  test('too slowly is refused with 408', async () => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2, {
      PLUMBLINE_HTTP_REQUEST_TIMEOUT_SECONDS: '2',
    })
    const head = `POST /ingest/v1/theme HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`

    const texts = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const socket = await connectRaw(child)
        socket.write(head)
        const timer = setInterval(() => socket.write(' '), 100)
        socket.once('close', () => clearInterval(timer))
        const text = await readToEnd(socket)
        socket.destroy()
        return text
      }),
    )

    for (const text of texts) {
      assert.match(text, /^HTTP\/1\.1 408 /)
      assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1)
    }
  })

  test('ends at the first process when its client goes away', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)
    const sent = Array.from({ length: 4 }, () => {
      const agent = new Agent()
      t.after(() => agent.destroy())
      const { headers } = ingest(0, 0)
      const post = request(`${child.origin}/ingest/v1/theme`, {
        ca: child.certificate,
        agent,
        method: 'POST',
        headers: { ...headers, 'content-length': 100_000 },
      })
      post.on('error', () => {})
      post.write('{"records":[')
      return post
    })
    await eventually(async () => {
      const { workers } = await readState(child)
      assert.deepEqual(
        workers.map(({ connections }) => connections),
        [2, 2],
      )
    })

    for (const post of sent) post.destroy()

    await eventually(async () => {
      const { workers } = await readState(child)
      assert.deepEqual(
        workers.map(({ connections }) => connections),
        [0, 0],
      )
    })
  })
})

for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`a session of ${version} is resumed by every worker`, async () => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 3)
    const open = async (session?: Buffer) => {
      const socket = connectTls({
        host: '127.0.0.1',
        servername: 'localhost',
        port: Number(new URL(child.origin).port),
        ca: child.certificate,
        maxVersion: version,
        session,
      })
      await once(socket, 'secureConnect')
      const isReused = socket.isSessionReused()
      socket.write(`GET ${STRUCTURES} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await once(socket, 'data')
      const ticket = socket.getSession()
      socket.destroy()
      return { ticket, isReused }
    }
    const { ticket } = await open()

    for (let at = 0; at < 6; at++)
      assert.ok((await open(ticket)).isReused, `connection ${at} made a new session`)
  })
