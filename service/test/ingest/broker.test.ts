import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { eventually } from '../_eventually.ts'
import { IN_THE_CLEAR, TOPIC, withBroker as withEmbedded } from './_broker.ts'
import { payload, Publisher, range, requireStored, storedNumbers } from './_messages.ts'

async function withBroker(settings: object = {}) {
  const { service, port, password } = await withEmbedded(settings)
  const tls = { ca: service.certificate, username: 'logger-7', password }
  return { service, url: `mqtts://localhost:${port}`, port, tls }
}

describe('the embedded broker', () => {
  test('stores what clients publish over TLS, each message before its PUBACK', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service
    await using publisher = await Publisher.connect(url, tls)

    await publisher.publishRecords(range(0, 300))

    requireStored(service.folder, range(0, 300))
  })

  test('accepts QoS 0, 1 and 2, without TLS on a loopback address where that is set', async () => {
    const { service, port, tls } = await withBroker(IN_THE_CLEAR)
    await using _ = service
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { ...tls, protocolVersion: 4 })

    for (const qos of [0, 1, 2] as const) await client.publishAsync(TOPIC, payload(qos), { qos })

    await eventually(() => requireStored(service.folder, [0, 1, 2]))
    await client.endAsync()
  })

  test('refuses a connection without an ingest key or with a revoked one', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service
    const connect = (more: object) =>
      connectAsync(url, { ...tls, reconnectPeriod: 0, ...more }, false)
    await service.storage.ingestKeys.revoke('test', Date.now())

    for (const password of [tls.password, 'plk_wrong', ''])
      await assert.rejects(connect({ password }), /Bad username or password/)
    assert.ok(!service.logged.join('').includes(tls.password))
  })

  test('closes the connection of a client that publishes to another topic, and stores nothing', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service
    const client = await connectAsync(url, { ...tls, reconnectPeriod: 0 })
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))

    client.publish('elsewhere', payload(1), { qos: 1 }, () => {})
    await closed

    assert.deepEqual(storedNumbers(service.folder), [])
    await client.endAsync(true)
  })

  test('refuses a subscription', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service
    const client = await connectAsync(url, tls)

    await assert.rejects(client.subscribeAsync('#'))

    await client.endAsync(true)
  })

  test('keeps a message that it cannot read with the reason, and acknowledges it', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service
    await using publisher = await Publisher.connect(url, tls)

    await publisher.publish(TOPIC, 'nonsense')

    const [kept] = await service.storage.rejects.list({ limit: 1 })
    assert.deepEqual([kept?.origin, kept?.place], ['broker', TOPIC])
    assert.match(kept!.reason, /not JSON/)
  })

  test('acknowledges no message while storage fails, and continues when it works again', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service
    await using publisher = await Publisher.connect(url, tls)
    const { RefusedError } = await import('../../src/errors/refused-error.ts')
    const { records } = service.storage
    const write = records.write
    records.write = () => Promise.reject(new RefusedError('unavailable', 'the disk is full'))
    let isAcknowledged = false

    const published = publisher.publishRecords([1]).then(() => {
      isAcknowledged = true
    })
    await eventually(() => assert.match(service.logged.join(''), /broker: storing messages failed/))
    assert.equal(isAcknowledged, false)
    records.write = write
    await published

    requireStored(service.folder, [1])
  })

  test('responds to a client of MQTT 5 that it supports 3.1.1', async () => {
    const { service, url, tls } = await withBroker()
    await using _ = service

    await assert.rejects(
      connectAsync(url, { ...tls, protocolVersion: 5, reconnectPeriod: 0 }, false),
      /protocol version/i,
    )
  })
})
