import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../_child.ts'
import { guardResponses } from '../../src/http/responses/guard-responses.ts'
import { connectRaw, countSockets, readToEnd, until } from '../faults/_raw.ts'
import { makeDataFolder } from '../faults/_site.ts'
import { makeYear, stall } from '../faults/_stalled.ts'

test('a socket that does not begin TLS, or stops in the middle of its hello, is closed', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder, { PLUMBLINE_HTTP_HANDSHAKE_SECONDS: '1' })
  const idle = await countSockets(child.pid)
  const port = Number(new URL(child.origin).port)
  const sockets = ['', '\x16', '\x16\x03\x01\x02\x00\x01\x00'].map((bytes) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')))
    t.after(() => socket.destroy())
    return socket.on('error', () => {}).resume()
  })

  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))

  assert.ok(await until(async () => (await countSockets(child.pid)) === idle, 5))
})

test('a socket without a request after the hello gets a 408 and is closed', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  const idle = await countSockets(child.pid)
  const socket = await connectRaw(child)
  t.after(() => socket.destroy())

  const text = await readToEnd(socket)

  assert.match(text, /^HTTP\/1\.1 408 .*\r\nretry-after: 2\r\n/s)
  assert.match(text, /it was sent too slowly, or the service was busy/)
  assert.ok(await until(async () => (await countSockets(child.pid)) === idle, 5))
})

test('clients that read nothing of a response are disconnected, one that reads a little is not', async (t) => {
  await using data = await makeYear()
  await using child = await startChild(data.folder, { PLUMBLINE_HTTP_STALLED_SECONDS: '6' })
  const idle = await countSockets(child.pid)
  // Uncompressed: more than the system keeps for a connection.
  const [slow, ...stalled] = await Promise.all([1, 3, 5].map((at) => stall(child, at)))
  t.after(() => [slow!, ...stalled].forEach((socket) => socket.destroy()))
  let bytes = 0
  slow!.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    slow!.pause()
  })
  const taking = setInterval(() => slow!.resume(), 20)
  t.after(() => clearInterval(taking))

  assert.ok(await until(async () => (await countSockets(child.pid)) === idle + 1, 60))
  const before = bytes
  await sleep(3000)
  assert.ok(bytes > before)
  assert.equal(await countSockets(child.pid), idle + 1)
})

test('a client is disconnected after five timeouts in succession without a byte read', async (t) => {
  const server = createServer((request, response) => {
    const rounds: [waiting: number, of: number][] = JSON.parse(request.headers.rounds as string)
    const socket = {
      timeout: 60_000,
      writableLength: 0,
      cut: 0,
      destroy: () => void socket.cut++,
      setTimeout: () => {},
    }
    for (const [waiting, of] of rounds)
      for (let round = 0; round < of; round++) {
        socket.writableLength = waiting
        response.emit('timeout', socket)
      }
    response.end(String(socket.cut))
  })
  guardResponses(server, {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const cutAfter = async (...rounds: [number, number][]): Promise<string> => {
    const headers = { rounds: JSON.stringify(rounds) }
    const [response] = await once(get({ port, agent: false, headers }), 'response')
    return (await response.toArray()).join('')
  }

  assert.equal(await cutAfter([1, 4]), '0')
  assert.equal(await cutAfter([1, 5]), '1')
  assert.equal(await cutAfter([1, 4], [0, 1], [1, 4]), '0')
  assert.equal(await cutAfter([0, 20]), '0')
})

test('a response that takes longer than the stall timeout is waited for', async (t) => {
  const server = createServer((_request, response) => {
    setTimeout(() => response.end('done'), 700)
  })
  server.setTimeout(100)
  guardResponses(server, {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())

  const asked = get({ port: (server.address() as AddressInfo).port, agent: false })
  const [response] = await once(asked, 'response')

  assert.equal((await response.toArray()).join(''), 'done')
})
