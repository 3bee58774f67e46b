import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { IN_THE_CLEAR, TOPIC, withBroker } from '../ingest/_broker.ts'
import { payload, requireStored, range } from '../ingest/_messages.ts'

/** The same object with a list that fills it up to a number of bytes. */
const padded = (text: string, bytes: number): string =>
  text.replace(/\}$/, `,"padding":[0${',0'.repeat((bytes - text.length) / 2)}]}`)

describe('messages that one client sends back to back', () => {
  for (const tls of ['on', 'off'])
    for (const [count, kilobytes] of [
      [2, 600],
      [5, 1000],
      [60, 40],
    ] as const)
      test(`are all acknowledged: ${count} of ${kilobytes} KB, TLS ${tls}`, async () => {
        const { service, port, password } = await withBroker({ 'ingest.broker.tls': tls })
        await using _ = service
        const url = `${tls === 'on' ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`
        const client = await connectAsync(url, {
          password,
          username: 'x',
          reconnectPeriod: 0,
          rejectUnauthorized: false,
        })

        const sent = Promise.all(
          range(0, count).map((n) =>
            client.publishAsync(TOPIC, padded(payload(n), kilobytes * 1000), { qos: 1 }),
          ),
        )
        const hangGuard = new Promise((resolve) => setTimeout(resolve, 20_000, 'late').unref())

        try {
          assert.notEqual(await Promise.race([sent, hangGuard]), 'late')
          requireStored(service.folder, range(0, count))
        } finally {
          client.end(true)
        }
      })
})

describe('clients that announce messages and do not send them', () => {
  test('do not stop those that send', async () => {
    const { service, port, password } = await withBroker({
      ...IN_THE_CLEAR,
      'ingest.broker.maxWaitingMegabytes': 1,
    })
    await using _ = service
    const url = `mqtt://127.0.0.1:${port}`
    const options = { username: 'x', password, reconnectPeriod: 0 }
    const silent = await Promise.all(range(0, 3).map(() => connectAsync(url, options)))
    for (const { stream } of silent)
      stream.write(Buffer.concat([Buffer.from([0x32, 0xc0, 0x84, 0x3d]), Buffer.alloc(49)]))
    const client = await connectAsync(url, options)

    await Promise.all(range(0, 50).map((n) => client.publishAsync(TOPIC, payload(n), { qos: 1 })))

    requireStored(service.folder, range(0, 50))
    for (const one of [...silent, client]) one.end(true)
  })
})

describe('client ids', () => {
  test('of one key do not end the session of another', async () => {
    const { service, port, password } = await withBroker(IN_THE_CLEAR)
    await using _ = service
    const url = `mqtt://127.0.0.1:${port}`
    const options = { username: 'x', clientId: 'logger-a', reconnectPeriod: 0 }
    const first = await connectAsync(url, { ...options, password })
    const other = await service.createKey('other')

    const second = await connectAsync(url, { ...options, password: other })
    await second.publishAsync(TOPIC, payload(1), { qos: 1 })
    await first.publishAsync(TOPIC, payload(2), { qos: 1 })

    requireStored(service.folder, [1, 2])
    const closed = new Promise<void>((resolve) => first.once('close', () => resolve()))
    const again = await connectAsync(url, { ...options, password })
    await closed
    for (const client of [second, again]) await client.endAsync(true)
  })
})
