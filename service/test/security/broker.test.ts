import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { generate } from 'mqtt-packet'
import { eventually } from '../_eventually.ts'
import type { TestService } from '../_service.ts'
import { IN_THE_CLEAR, TOPIC, withBroker as withEmbedded } from '../ingest/_broker.ts'
import { payload, requireStored, range } from '../ingest/_messages.ts'

const withBroker = (settings: object = {}) => withEmbedded({ ...IN_THE_CLEAR, ...settings })

/** A socket that says nothing by itself, and a promise of its end. */
async function dial(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, closed }
}

/** Each client has an id of its own: the broker closes the former connection of an id. */
let clients = 0

const connectPacket = (password: string): Buffer =>
  generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clientId: `raw-${++clients}`,
    clean: true,
    keepalive: 0,
    username: 'x',
    password: Buffer.from(password),
  })

async function logIn(
  port: number,
  password: string,
  localAddress?: string,
): Promise<Awaited<ReturnType<typeof dial>>> {
  const dialled = await dial(port, localAddress)
  dialled.socket.write(connectPacket(password))
  const closed = dialled.closed.then(() => Promise.reject(new Error('it was closed')))
  const [response] = (await Promise.race([once(dialled.socket, 'data'), closed])) as [Buffer]
  closed.catch(() => {})
  assert.deepEqual([...response], [0x20, 2, 0, 0])
  return dialled
}

/** The fixed header of a packet of a number of bytes. */
function head(type: number, length: number): Buffer {
  const bytes = [type << 4]
  for (let left = length; ;) {
    const digit = left % 128
    left = Math.floor(left / 128)
    bytes.push(left > 0 ? digit | 128 : digit)
    if (left === 0) return Buffer.from(bytes)
  }
}

const rejects = ({ logged }: TestService): string[] =>
  logged
    .map((line) => JSON.parse(line) as { event?: string; reason?: string; from?: string })
    .filter(({ event }) => event === 'security.mqtt-refused')
    .map(({ reason, from }) => `${from}: ${reason}`)

/** Writes as long as the connection takes it; how many bytes that was. */
async function flood(socket: Socket, chunk: Buffer, times: number): Promise<number> {
  for (let n = 0; n < times && !socket.destroyed; n++)
    if (!socket.write(chunk))
      await new Promise<void>((resolve) => {
        socket.once('drain', resolve)
        socket.once('close', resolve)
      })
  return socket.bytesWritten
}

describe('before log-in the broker', () => {
  test('closes a connection at the header of a packet beyond the limit', async () => {
    const { service, port } = await withBroker()
    await using _ = service
    const { socket, closed } = await dial(port)

    socket.write(head(1, 200_000_000))
    await closed

    assert.deepEqual(rejects(service), ['127.0.0.1: a packet is larger than 8192 bytes'])
  })

  test('closes a connection of another protocol, or one that sends a message first', async () => {
    const { service, port } = await withBroker()
    await using _ = service

    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', head(3, 10)]) {
      const { socket, closed } = await dial(port)
      socket.write(bytes)
      await closed
    }
    assert.deepEqual(rejects(service), ['127.0.0.1: the first packet is no CONNECT'])
  })

  test('closes a connection that sends nothing within the time to log in, with TLS too', async () => {
    for (const tls of ['on', 'off']) {
      const { service, port } = await withBroker({
        'ingest.broker.loginSeconds': 1,
        'ingest.broker.tls': tls,
      })
      await using _ = service
      const { closed } = await dial(port)

      await closed

      assert.deepEqual(rejects(service), ['127.0.0.1: no log-in within 1 seconds'])
    }
  })

  test('leaves a client that has logged in its connection, with TLS too', async () => {
    for (const tls of ['on', 'off']) {
      const { service, port, password } = await withBroker({
        'ingest.broker.loginSeconds': 1,
        'ingest.broker.tls': tls,
      })
      await using _ = service
      const client = await connectAsync(`${tls === 'on' ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`, {
        password,
        username: 'x',
        reconnectPeriod: 0,
        rejectUnauthorized: false,
      })

      await delay(1500)

      assert.ok(client.connected)
      assert.deepEqual(rejects(service), [])
      client.end(true)
    }
  })

  test('closes connections beyond the number for each address, and beyond that of all', async () => {
    const { service, port, password } = await withBroker({
      'ingest.broker.maxConnections': 3,
      'ingest.broker.maxConnectionsPerAddress': 2,
    })
    await using _ = service
    const first = await logIn(port, password)
    const second = await logIn(port, password)

    await (
      await dial(port)
    ).closed
    const elsewhere = await logIn(port, password, '127.0.0.2')
    await (
      await dial(port, '127.0.0.3')
    ).closed

    assert.deepEqual(rejects(service), [
      '127.0.0.1: the address has 2 connections',
      '127.0.0.3: there are 3 connections',
    ])
    second.socket.destroy()
    const again = await eventually(() => logIn(port, password))
    for (const { socket } of [first, elsewhere, again]) socket.destroy()
  })

  test('keeps a quarter of the connections for log-ins, and drops the oldest first', async () => {
    const { service, port, password } = await withBroker({
      'ingest.broker.maxConnections': 12,
      'ingest.broker.maxConnectionsPerAddress': 8,
    })
    await using _ = service
    const [first, second, ...others] = [
      await dial(port),
      await dial(port),
      await dial(port),
      await dial(port, '127.0.0.2'),
      await dial(port, '127.0.0.3'),
    ]

    await Promise.all([first!.closed, second!.closed])
    const { socket } = await logIn(port, password)

    // Equal events of a minute are one line.
    assert.deepEqual(rejects(service), [
      '127.0.0.1: newer connections took its place before it logged in',
    ])
    for (const one of [...others, { socket }]) one.socket.destroy()
  })

  test('keeps running when connections are reset before it accepts them', async () => {
    for (const tls of ['off', 'on']) {
      const { service, port } = await withBroker({ 'ingest.broker.tls': tls })
      await using _ = service

      for (let round = 0; round < 5; round++)
        await Promise.all(
          Array.from({ length: 20 }, async () => {
            const socket = connect({ port, host: '127.0.0.1' })
            socket.on('error', () => {})
            socket.once('connect', () => socket.resetAndDestroy())
            await once(socket, 'close')
          }),
        )

      const client = await connectAsync(`${tls === 'on' ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`, {
        password: await service.createKey('after'),
        username: 'x',
        rejectUnauthorized: false,
      })
      await client.endAsync()
    }
  })
})

const delay = (milliseconds: number) =>
  new Promise<boolean>((resolve) => setTimeout(resolve, milliseconds, true))

describe('after log-in the broker', () => {
  test('accepts a message up to the limit, and closes the connection of a larger one', async () => {
    const { service, port, password } = await withBroker({
      'ingest.broker.maxMessageKilobytes': 32,
    })
    await using _ = service
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      password,
      username: 'x',
      reconnectPeriod: 0,
    })
    const padded = payload(1).padEnd(31 * 1024)
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))

    await client.publishAsync(TOPIC, padded, { qos: 1 })
    client.publish(TOPIC, payload(2).padEnd(33 * 1024), { qos: 1 }, () => {})
    await closed

    requireStored(service.folder, [1])
    assert.deepEqual(rejects(service), ['127.0.0.1: a packet is larger than 32768 bytes'])
    await client.endAsync(true)
  })

  test('limits other packets as before log-in', async () => {
    const { service, port, password } = await withBroker()
    await using _ = service
    const { socket, closed } = await logIn(port, password)

    socket.write(head(8, 9000))
    await closed

    assert.deepEqual(rejects(service), ['127.0.0.1: a packet is larger than 8192 bytes'])
  })

  test('stops reading at the memory limit for messages while storage fails', async () => {
    const { service, port, password } = await withBroker({
      'ingest.broker.maxWaitingMegabytes': 1,
      'ingest.broker.maxMessageKilobytes': 256,
    })
    await using _ = service
    const { records, rejects } = service.storage
    const { RefusedError } = await import('../../src/errors/refused-error.ts')
    const full = () => Promise.reject(new RefusedError('unavailable', 'the disk is full'))
    const [write, add] = [records.write, rejects.add]
    records.write = full
    rejects.add = full
    const message = generate({
      cmd: 'publish',
      topic: TOPIC,
      payload: Buffer.alloc(100_000, 'x'),
      qos: 0,
      dup: false,
      retain: false,
    })

    const sockets = await Promise.all(Array.from({ length: 4 }, () => logIn(port, password)))
    const sent = Promise.all(sockets.map(({ socket }) => flood(socket, message, 1000)))
    const isOver = await Promise.race([sent.then(() => true), delay(1500).then(() => false)])
    const taken = sockets.reduce((sum, { socket }) => sum + socket.bytesWritten, 0)

    assert.equal(isOver, false)
    // What both systems keep in their sockets comes on top of it.
    assert.ok(taken < 100e6, `${taken} bytes were taken`)
    for (const { socket } of sockets) socket.destroy()
    records.write = write
    rejects.add = add
    await sent
  })

  test('stores all messages of many clients that send faster than it stores', async () => {
    const { service, port, password } = await withBroker({ 'ingest.broker.maxWaitingMegabytes': 1 })
    await using _ = service
    const options = { password, username: 'x', protocolVersion: 4 as const }
    const publishers = await Promise.all(
      Array.from({ length: 4 }, () => connectAsync(`mqtt://127.0.0.1:${port}`, options)),
    )

    await Promise.all(
      range(0, 2000).map((n) =>
        publishers[n % 4]!.publishAsync(TOPIC, payload(n).padEnd(2000), {
          qos: n % 2 === 0 ? 1 : 2,
        }),
      ),
    )

    requireStored(service.folder, range(0, 2000))
    for (const client of publishers) await client.endAsync()
  })

  test('delays responses to wrong keys more and more, and accepts a valid one at once', async () => {
    const { service, port, password } = await withBroker({ 'access.failuresPerMinute': 2 })
    await using _ = service
    const url = `mqtt://127.0.0.1:${port}`
    const options = { username: 'x', reconnectPeriod: 0 }

    for (let n = 0; n < 4; n++)
      await assert.rejects(connectAsync(url, { ...options, password: `plk_${n}` }, false))
    const client = await connectAsync(url, { ...options, password }, false)

    const events = new Set(
      service.logged.map((line) => (JSON.parse(line) as { event?: string }).event),
    )
    assert.ok(events.has('security.throttled'))
    assert.ok(events.has('security.mqtt-log-in-failed'))
    assert.ok(!service.logged.join('').includes('plk_'))
    await client.endAsync()
  })
})
