import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { Agent } from 'node:https'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { callHttps, freePort } from '../_service.ts'
import { KEY, makeDataFolder, TOKEN } from '../faults/_site.ts'

const OPEN_FILES = 256
/** Half of them, in the proportion 2000 to 1000. */
const INTERFACE = 85
const BROKER = 42
/** Of the broker's connections a quarter need not have logged in. */
const NOT_LOGGED_IN = 11

const countFiles = async ({ pid }: Child): Promise<number> =>
  (await readdir(`/proc/${pid}/fd`)).length

/** Opens a number of connections and counts those that stay open. */
async function flood(
  port: number,
  times: number,
  sockets: Socket[],
  localAddress = '127.0.0.1',
): Promise<() => number> {
  const opened = Array.from({ length: times }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    sockets.push(socket.resume())
    return socket
  })
  await Promise.all(opened.map((socket) => once(socket, 'connect').catch(() => {})))
  return () => opened.filter(({ closed }) => !closed).length
}

test('a service with few open files responds and stores under too many connections', async (t) => {
  await using data = await makeDataFolder()
  const brokerPort = await freePort()
  await using child = await startChild(
    data.folder,
    {
      PLUMBLINE_HTTP_HANDSHAKE_SECONDS: '120',
      PLUMBLINE_INGEST_BROKER_LOGIN_SECONDS: '120',
      PLUMBLINE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '2000',
      PLUMBLINE_INGEST_BROKER_MAX_CONNECTIONS_PER_ADDRESS: '1000',
      PLUMBLINE_INGEST_BROKER_PORT: String(brokerPort),
      PLUMBLINE_INGEST_BROKER_HOST: '127.0.0.1',
      PLUMBLINE_INGEST_BROKER_TOPICS: '[{"topic":"a/{sensor}","preset":"tsValues"}]',
    },
    { openFiles: OPEN_FILES },
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets: Socket[] = []
  t.after(() => {
    agent.destroy()
    for (const socket of sockets) socket.destroy()
  })
  const store = (at: number) =>
    callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        records: [{ station: 1, time: Date.UTC(2024, 0, 1) + at, values: { v: at } }],
      }),
    })
  assert.equal((await store(1000)).status, 200)

  const interfaces = await flood(Number(new URL(child.origin).port), 300, sockets)
  const brokers = await flood(brokerPort, 300, sockets)
  const ops = await flood(Number(new URL(child.opsOrigin).port), 300, sockets)
  await eventually(() => {
    assert.deepEqual([interfaces(), brokers(), ops()], [INTERFACE - 1, NOT_LOGGED_IN, 32])
  })

  assert.ok((await countFiles(child)) < OPEN_FILES)
  for (let at = 2; at < 10; at++) assert.equal((await store(at * 1000)).status, 200)
  const path = `/api/v1/stations/theme/data?token=${TOKEN}&stations=1&limit=100`
  const read = await callHttps(`${child.origin}${path}`, child.certificate, { agent })
  assert.equal(read.json<any>().stations[0].data.length, 9)
  assert.match(
    child.logged,
    new RegExp(`${INTERFACE} connections to the interface and ${BROKER} to`),
  )
  assert.doesNotMatch(child.logged, /"level":[56]0|EMFILE/)
})

test('with few open files one address leaves the others their share of the connections', async (t) => {
  await using data = await makeDataFolder()
  const longer = { PLUMBLINE_HTTP_HANDSHAKE_SECONDS: '120' }
  await using child = await startChild(data.folder, longer, { openFiles: OPEN_FILES })
  const sockets: Socket[] = []
  t.after(() => sockets.forEach((socket) => socket.destroy()))

  const port = Number(new URL(child.origin).port)
  const held = await flood(port, 300, sockets, '127.0.0.2')
  await eventually(() => assert.equal(held(), 32))
  const path = `/api/v1/structures?token=${TOKEN}`

  assert.equal((await callHttps(`${child.origin}${path}`, child.certificate, {})).status, 200)
})

test('fewer possible connections than in the settings are logged with the next step', async () => {
  await using data = await makeDataFolder()
  await using few = await startChild(data.folder, {}, { openFiles: OPEN_FILES })

  assert.match(
    few.logged,
    /"level":40.*The process may open 256 files and accepts at most 128 connections to the interface\. Allow it 2200 files \(ulimit -n, LimitNOFILE= of systemd\) or lower http\.maxConnections\."/,
  )

  await few.stop()
  await using enough = await startChild(data.folder, {}, { openFiles: 2200 })
  assert.doesNotMatch(enough.logged, /The process may open/)
})
