import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { test, type TestContext } from 'node:test'
import { connectionAddress } from '../../src/http/requests/connection-address.ts'
import { ChannelServer } from '../../src/workers/channel-server.ts'
import { writePreface } from '../../src/workers/preface.ts'

async function openChannel(t: TestContext) {
  const requests: string[] = []
  const server = createHttpsServer((request: IncomingMessage, response) => {
    requests.push(connectionAddress(request.socket))
    response.end('done')
  })
  const channel = await ChannelServer.open(server)
  t.after(() => channel[Symbol.asyncDispose]())
  const exchange = async (...parts: string[]): Promise<string> => {
    const socket = connect(channel.address.path)
    socket.on('error', () => {})
    for (const part of parts) {
      socket.write(part)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return Buffer.concat(await Array.fromAsync<Buffer>(socket).catch(() => [])).toString()
  }
  return { channel, requests, exchange }
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

test('the channel lies in a folder that only its user may enter', async (t) => {
  const { channel } = await openChannel(t)

  const { mode } = await stat(dirname(channel.address.path))

  assert.equal(mode & 0o777, 0o700)
})

test('the first process knows the client of a connection, however its bytes arrive', async (t) => {
  const { channel, requests, exchange } = await openChannel(t)
  const preface = writePreface(channel.address.key, '192.0.2.7')

  for (const parts of [
    [preface + REQUEST],
    [preface, REQUEST],
    [preface.slice(0, 9), preface.slice(9) + REQUEST.slice(0, 20), REQUEST.slice(20)],
  ])
    assert.match(await exchange(...parts), /^HTTP\/1\.1 200 OK.*done$/s)
  assert.deepEqual(requests, Array(3).fill('192.0.2.7'))
})

test('a connection without the key is closed', async (t) => {
  const { channel, requests, exchange } = await openChannel(t)

  for (const start of [
    REQUEST,
    writePreface('0'.repeat(channel.address.key.length), '192.0.2.7') + REQUEST,
    '\n',
    'x'.repeat(10_000),
  ])
    assert.equal(await exchange(start), '')
  assert.deepEqual(requests, [])
})

test('the folder is gone after the channel is closed', async (t) => {
  const { channel } = await openChannel(t)
  const { path } = channel.address

  await channel[Symbol.asyncDispose]()

  await assert.rejects(stat(dirname(path)), { code: 'ENOENT' })
})
