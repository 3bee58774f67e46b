import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { startChild } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { connectRaw, countSockets, until, type Server } from '../faults/_raw.ts'
import { makeDataFolder, TOKEN } from '../faults/_site.ts'

const NOTHING = 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n'
const STRUCTURES = `GET /api/v1/structures?token=${TOKEN} HTTP/1.1\r\nHost: a\r\n\r\n`

async function openFrom(server: Server, address: string, t: TestContext): Promise<Socket> {
  const port = Number(new URL(server.origin).port)
  const socket = connectTcp({ port, host: '127.0.0.1', localAddress: address })
  t.after(() => socket.destroy())
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  return socket
}

async function ask(socket: TLSSocket, text: string): Promise<string> {
  socket.write(text)
  const [response] = (await once(socket, 'data')) as [Buffer]
  return response.toString('latin1')
}

test('connections beyond the limit of an address or of all are closed and recorded', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder, {
    PLUMBLINE_HTTP_MAX_CONNECTIONS: '5',
    PLUMBLINE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '3',
  })
  const idle = await countSockets(child.pid)
  const [first] = await Promise.all([1, 2, 3].map(() => openFrom(child, '127.0.0.1', t)))

  const fourth = await openFrom(child, '127.0.0.1', t)
  if (!fourth.closed) await once(fourth, 'close')
  await Promise.all([2, 3].map((at) => openFrom(child, `127.0.0.${at}`, t)))
  const sixth = await openFrom(child, '127.0.0.4', t)
  if (!sixth.closed) await once(sixth, 'close')

  assert.equal(await countSockets(child.pid), idle + 5)
  for (const reason of ['the address has 3 connections', 'there are 5 connections'])
    await eventually(() =>
      assert.match(child.logged, new RegExp(`security.connection-refused.*${reason}`)),
    )
  first!.destroy()
  assert.ok(await until(async () => (await countSockets(child.pid)) === idle + 4, 5))
  const socket = await connectRaw(child)
  t.after(() => socket.destroy())
  assert.match(await ask(socket, NOTHING), /^HTTP\/1.1 404 /)
})

test('a proxy that is trusted may have more connections than one address', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder, {
    PLUMBLINE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '1',
    PLUMBLINE_HTTP_TRUSTED_PROXIES: '127.0.0.0/30',
  })
  const sockets = await Promise.all([1, 2, 3].map(() => connectRaw(child)))
  t.after(() => sockets.forEach((socket) => socket.destroy()))

  for (const socket of sockets) assert.match(await ask(socket, NOTHING), /^HTTP\/1.1 404 /)
})

test('a connection is kept for long between requests only when its client is authenticated', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  const idle = await countSockets(child.pid)
  const [unknown, known] = await Promise.all([connectRaw(child), connectRaw(child)])
  t.after(() => [unknown, known].forEach((socket) => socket.destroy()))

  assert.match(await ask(unknown, NOTHING), /keep-alive: timeout=5\r\n/i)
  assert.match(await ask(known, STRUCTURES), /keep-alive: timeout=(?!5\r)\d+\r\n/i)

  assert.ok(await until(async () => (await countSockets(child.pid)) === idle + 1, 15))
  assert.match(await ask(known, NOTHING), /^HTTP\/1.1 404 /)
})
