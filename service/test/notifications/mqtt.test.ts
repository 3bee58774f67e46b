import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { eventually } from '../_eventually.ts'
import { Mosquitto } from '../ingest/_mosquitto.ts'
import { withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { alarm, addAlarm } from './_alarms.ts'

const withMqtt = (broker: Mosquitto, settings: object = {}) =>
  withService({
    site: SITE,
    deliveryPollMilliseconds: 20,
    settings: {
      'notifications.mqtt': [
        {
          name: 'scada',
          url: broker.url,
          topic: 'alarms/{structure}/{source}/{event}',
          timeoutSeconds: 2,
          ...settings,
        },
      ],
      'notifications.rules': [{ name: 'all', to: ['scada'] }],
      'notifications.retryFirstSeconds': 0.05,
      'notifications.retryMaxMinutes': 0.01,
    },
  })

/** What a broker sends to a subscriber of all topics. */
async function listen(broker: Mosquitto) {
  const client = await connectAsync(broker.url)
  const received: { topic: string; body: any; qos: number; retain: boolean }[] = []
  client.on('message', (topic, payload, { qos, retain }) =>
    received.push({ topic, body: JSON.parse(payload.toString()), qos, retain }),
  )
  await client.subscribeAsync('#', { qos: 1 })
  return { received, [Symbol.asyncDispose]: () => client.endAsync(true) }
}

describe('an MQTT channel', () => {
  test('publishes with QoS 1, to a topic that is filled in, by MQTT 5 and 3.1.1', async () => {
    await using broker = await Mosquitto.start()
    for (const version of [4, 5]) {
      await using listener = await listen(broker)
      await using service = await withMqtt(broker, { version })

      await addAlarm(service.storage, alarm(1, { source: { id: 'a/+#', name: 'odd' } }))
      await addAlarm(service.storage, alarm(2))
      await eventually(() => assert.equal(listener.received.length, 2))

      assert.deepEqual(
        listener.received.map(({ topic, qos, retain, body }) => [topic, qos, retain, body.id]),
        [
          ['alarms/1/a___/new', 1, false, 'alarm-1-0'],
          ['alarms/1/1001/new', 1, false, 'alarm-2-0'],
        ],
      )
      const structure = { id: 1, name: '长江大桥', timeZone: 'Asia/Shanghai' }
      assert.deepEqual(listener.received[1]!.body.alarm.structure, structure)
    }
  })

  test('delivers each message once when its broker is reachable again', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withMqtt(broker)
    await addAlarm(service.storage, alarm(1))
    await eventually(async () => {
      const [sent] = await service.storage.deliveries.list({ limit: 1 })
      assert.equal(sent!.state, 'delivered')
    })

    await broker.kill()
    for (const id of [2, 3]) await addAlarm(service.storage, alarm(id))
    await eventually(async () => {
      const waiting = await service.storage.deliveries.list({ limit: 10, state: 'waiting' })
      assert.ok(waiting.some(({ attempts }) => attempts > 1))
    })
    await broker.restart()
    await using listener = await listen(broker)
    await eventually(async () => {
      const waiting = await service.storage.deliveries.list({ limit: 10, state: 'waiting' })
      assert.deepEqual(waiting, [])
    })

    const ids = listener.received.map(({ body }) => body.id as string)
    assert.ok(new Set(ids).size === ids.length && ids.every((id) => /^alarm-[23]-0$/.test(id)))
  })

  test('reports a refused publish without its password', async () => {
    await using broker = await Mosquitto.start({ lines: ['allow_anonymous false'] })
    const password = 'broker-top-secret'
    await using service = await withMqtt(broker, { username: 'plumbline', password })

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => {
      const [sent] = await service.storage.deliveries.list({ limit: 1 })
      assert.match(sent!.lastError!, /^the broker refuses: .*[Nn]ot authorized/)
    })

    assert.ok(!JSON.stringify(service.logged).includes(password))
  })
})
