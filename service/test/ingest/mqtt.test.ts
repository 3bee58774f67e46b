import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { BY_HAND } from '../_sealed.ts'
import { freePort, withService } from '../_service.ts'
import { payload, Publisher, range, requireStored, START, storedNumbers } from './_messages.ts'
import { runs } from '../_random.ts'
import { killBroker, killService, makeFolder } from './_kills.ts'
import { Mosquitto } from './_mosquitto.ts'
import { SENSORS, SITE } from './_site.ts'

const TOPIC = `site/${SENSORS.single}/up`

const brokerSettings = (url: string, more: object = {}) => ({
  name: 'test',
  url,
  subscriptions: [{ topic: 'site/{sensor}/up', preset: 'tsValues' }],
  ...more,
})

const withIngest = (url: string, more: object = {}, rest: { folder?: string } = {}) =>
  withService({
    site: SITE,
    settings: { 'ingest.mqtt': [brokerSettings(url, more)], ...BY_HAND },
    ...rest,
  })

describe('a broker', () => {
  for (const version of [4, 5])
    test(`of MQTT ${version === 4 ? '3.1.1' : '5'} has its messages stored`, async () => {
      await using broker = await Mosquitto.start()
      await using service = await withIngest(broker.url, { version })
      await using publisher = await Publisher.connect(broker.url)
      await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))

      // More than may be on their way unacknowledged.
      await publisher.publishRecords(range(0, 1500))

      await eventually(() => requireStored(service.folder, range(0, 1500)))
    })

  test('has messages that are merged, and others that replace records whole', async () => {
    await using broker = await Mosquitto.start()
    const subscriptions = ['part', 'whole'].map((topic) => ({
      topic: `${topic}/{sensor}/up`,
      preset: 'tsValues',
      replace: topic === 'part' ? 'keys' : 'whole',
    }))
    await using service = await withIngest(broker.url, { subscriptions })
    await using publisher = await Publisher.connect(broker.url)
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    const send = (kind: string, values: object) =>
      publisher.publish(`${kind}/${SENSORS.many}/up`, JSON.stringify({ ts: START, values }))
    const requireValues = (expected: object) =>
      eventually(async () => {
        const { sensors } = await openCatalogue(service.storage.site)()
        const source = sensors.get(SENSORS.many)!.key
        const places = { sources: [source], times: [START] }
        const [stored] = await service.storage.records.findStored('raw', places)
        const { time: _, ...values } = JSON.parse(stored?.record ?? '{}')
        assert.deepEqual(values, expected)
      })

    await send('part', { a: 1, b: 2 })
    await requireValues({ a: 1, b: 2 })
    await send('part', { a: null, b: 3, c: 4 })
    await requireValues({ a: 1, b: 3, c: 4 })
    await send('whole', { c: 5 })

    await requireValues({ c: 5 })
  })

  test('is connected to by TLS, with a user name and a password from a file that is not logged', async () => {
    await using stack = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-mqtt-tls-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const { certificate, key } = await ensureCertificate(folder, undefined, Date.now())
    const passwordFile = join(folder, 'password')
    await writeFile(passwordFile, 'geheim-4711\n')
    const tlsPort = await freePort()
    await using broker = await Mosquitto.start({
      lines: [`listener ${tlsPort} 127.0.0.1`, `certfile ${certificate}`, `keyfile ${key}`],
    })
    const url = `mqtts://localhost:${tlsPort}`
    await using publisher = await Publisher.connect(broker.url)

    await using service = await withIngest(url, {
      ca: certificate,
      username: 'plumb',
      passwordFile,
    })
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    await publisher.publishRecords([7])

    await eventually(() => requireStored(service.folder, [7]))
    assert.ok(!service.logged.join('').includes('geheim'))
  })

  test('with an untrusted certificate gets no connection', async () => {
    await using stack = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-mqtt-tls-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const { certificate, key } = await ensureCertificate(folder, undefined, Date.now())
    const tlsPort = await freePort()
    await using _ = await Mosquitto.start({
      lines: [`listener ${tlsPort} 127.0.0.1`, `certfile ${certificate}`, `keyfile ${key}`],
    })

    await using service = await withIngest(`mqtts://localhost:${tlsPort}`)

    await eventually(() => assert.match(service.logged.join(''), /mqtt test: self-signed/))
    assert.ok(!service.logged.join('').includes('connected, and subscribed'))
  })

  test('that restarts is connected to again', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withIngest(broker.url)
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))

    await broker.kill()
    await eventually(() => assert.match(service.logged.join(''), /the connection is lost/))
    await broker.restart()
    await using publisher = await Publisher.connect(broker.url)

    await eventually(async () => {
      await publisher.publishRecords([3])
      requireStored(service.folder, [3])
    })
  })
})

describe('a session', () => {
  for (const version of [4, 5])
    test(`continues after a restart of the service, by MQTT ${version}`, async () => {
      await using stack = new AsyncDisposableStack()
      const folder = await makeFolder(stack)
      await using broker = await Mosquitto.start()
      await using publisher = await Publisher.connect(broker.url)
      {
        await using service = await withIngest(broker.url, { version }, { folder })
        await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
        await publisher.publishRecords(range(0, 50))
      }
      await publisher.publishRecords(range(50, 100))

      await using _ = await withIngest(broker.url, { version }, { folder })

      await eventually(() => requireStored(folder, range(0, 100)))
    })

  test('is shared by several connections, and every message is stored once', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withIngest(broker.url, { connections: 4 })
    await eventually(() =>
      assert.equal(service.logged.join('').match(/connected, and subscribed/g)?.length, 4),
    )
    await using publisher = await Publisher.connect(broker.url)

    await publisher.publishRecords(range(0, 1000))

    await eventually(() => requireStored(service.folder, range(0, 1000)))
    assert.ok(!service.logged.join('').includes('refuses'))
  })
})

describe('messages', () => {
  test('that cannot be read are kept with their reason and do not hold up others', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withIngest(broker.url)
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    await using publisher = await Publisher.connect(broker.url)
    const beyond = Date.now() + 3 * 86_400_000
    const unknown = TOPIC.replace(SENSORS.single, 'nobody')

    await publisher.publish(TOPIC, '{"ts":')
    await publisher.publish(TOPIC, Buffer.from([0xff, 0x00]))
    await publisher.publish(unknown, payload(1))
    await publisher.publish(TOPIC, JSON.stringify({ ts: beyond, values: { a: 1 } }))
    await publisher.publish(
      TOPIC,
      JSON.stringify([
        { ts: START, values: { a: 0 } },
        { ts: START, values: { b: 1 } },
        { values: { a: 1 } },
        { ts: START + 1000, values: { a: 1 } },
      ]),
    )
    await publisher.publishRecords([2])

    await eventually(() => requireStored(service.folder, [0, 1, 2]))
    const kept = await eventually(async () => {
      const list = await service.storage.rejects.list({ limit: 10 })
      assert.equal(list.length, 5)
      return list
    })
    const found = kept
      .map(({ origin, place, reason }) => [origin, place, reason.replace(/ \d{4}-.*/, '')])
      .toReversed()
    const rejections = service.logged
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'records were rejected; "plumbline rejects list" shows them')
    assert.equal(rejections.length, 1)
    const [{ level, source, reason: logged }] = rejections
    assert.deepEqual([level, source], [40, 'mqtt test'])
    assert.match(logged, /^the payload is not JSON: /)
    const [notJson, ...others] = found
    assert.match(String(notJson), /^mqtt test,site\/[^,]+,the payload is not JSON: /)
    assert.deepEqual(others, [
      ['mqtt test', TOPIC, 'the payload is not UTF-8 text'],
      ['mqtt test', unknown, 'sensor "nobody" is not known'],
      ['mqtt test', TOPIC, 'time'],
      [
        'mqtt test',
        `${TOPIC}#1,2`,
        'record 1: sensor Single has no item "b"; record 2: "@.ts" must hold the time, but there is nothing',
      ],
    ])
    assert.deepEqual(Buffer.from(kept.at(-2)!.payload), Buffer.from([0xff, 0x00]))
  })

  test('that are delivered twice are stored once', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withIngest(broker.url)
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    await using publisher = await Publisher.connect(broker.url)

    for (let turn = 0; turn < 5; turn++) await publisher.publishRecords(range(0, 20))

    await eventually(() => requireStored(service.folder, range(0, 20)))
  })

  test('of one value each become one record, in any order', async () => {
    await using broker = await Mosquitto.start()
    const subscriptions = [
      { topic: 's/{sensor}/{key}', preset: 'valuePerTopic', value: '@.v', time: '@.ts' },
    ]
    await using service = await withIngest(broker.url, { subscriptions, connections: 3 })
    await eventually(() =>
      assert.equal(service.logged.join('').match(/connected, and subscribed/g)?.length, 3),
    )
    await using publisher = await Publisher.connect(broker.url)

    await Promise.all(
      range(0, 50).flatMap((number) =>
        ['c', 'a', 'b'].map((key) =>
          publisher.publish(
            `s/${SENSORS.many}/${key}`,
            JSON.stringify({ v: `${number}`, ts: START + number * 1000 }),
          ),
        ),
      ),
    )

    await eventually(() => requireStored(service.folder, range(0, 50)))
    const [first] = await Array.fromAsync(
      service.storage.records.read({
        kind: 'theme',
        source: 1,
        from: START,
        to: START,
        shape: 'flat',
      }),
    )
    assert.match(Buffer.from(first!).toString(), /^\{"strain":0,"second":0,/)
  })

  test('that a broker retained do not get the time of their arrival', async () => {
    await using broker = await Mosquitto.start()
    await using publisher = await Publisher.connect(broker.url)
    const subscriptions = [{ topic: 's/{sensor}/{key}', preset: 'valuePerTopic' }]
    await publisher.publish(`s/${SENSORS.single}/a`, '1', true)

    await using service = await withIngest(broker.url, { subscriptions })
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    await publisher.publish(`s/${SENSORS.single}/a`, '2')

    await eventually(() => requireStored(service.folder, [2]))
  })

  test('wait at the broker while storage fails, and are stored when it works again', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withIngest(broker.url)
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    await using publisher = await Publisher.connect(broker.url)
    const { RefusedError } = await import('../../src/errors/refused-error.ts')
    const { records } = service.storage
    const write = records.write
    records.write = () => Promise.reject(new RefusedError('unavailable', 'the disk is full'))

    await publisher.publishRecords(range(0, 300))
    await eventually(() =>
      assert.match(service.logged.join(''), /storing messages failed: .*the disk is full/),
    )
    assert.deepEqual(storedNumbers(service.folder), [])
    records.write = write

    await eventually(() => requireStored(service.folder, range(0, 300)))
    assert.deepEqual(await service.storage.rejects.count(), [])
  })

  test('that storage rejects are rejected alone', async () => {
    await using broker = await Mosquitto.start()
    await using service = await withIngest(broker.url)
    await eventually(() => assert.match(service.logged.join(''), /connected, and subscribed/))
    await using publisher = await Publisher.connect(broker.url)
    const { records } = service.storage
    const write = records.write
    records.write = async (batch, options) => {
      if (batch.raw?.times.includes(START + 5000)) throw new TypeError('a fault of our own')
      return write(batch, options)
    }

    await publisher.publishRecords(range(0, 20))

    const others = range(0, 20).filter((number) => number !== 5)
    await eventually(() => requireStored(service.folder, others))
    const [kept] = await service.storage.rejects.list({ limit: 2 })
    assert.equal(kept?.reason, 'it could not be stored: a fault of our own')
  })
})

describe('MQTT sources', () => {
  test('health and metrics report the state of a broker', async () => {
    await using broker = await Mosquitto.start()
    const port = await freePort()
    await using service = await withService({
      site: SITE,
      settings: {
        'ingest.mqtt': [brokerSettings(broker.url, { connections: 2 })],
        'ops.port': port,
      },
    })
    await using publisher = await Publisher.connect(broker.url)
    const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    await eventually(async () => assert.match(await getText('/health/ingest'), /"connected":2/))

    await publisher.publishRecords([1, 2])
    await publisher.publishRecords([2])
    await publisher.publish(TOPIC, 'x')

    await eventually(async () =>
      assert.deepEqual(JSON.parse(await getText('/health/ingest')), {
        folders: [],
        sources: [
          {
            origin: 'mqtt test',
            connections: 2,
            connected: 2,
            counts: { messages: 4, records: 3, replaced: 1, refused: 1, rejected: 1, empty: 0 },
          },
        ],
      }),
    )
    const metrics = await getText('/metrics')
    assert.match(metrics, /^plumbline_ingest_source_connected\{origin="mqtt test"\} 2$/m)
    assert.match(
      metrics,
      /^plumbline_ingest_messages_total\{origin="mqtt test",what="refused"\} 1$/m,
    )
    assert.ok(service.logged.length > 0)
  })

  test('an invalid mapping prevents the start with its place in the settings', async () => {
    await assert.rejects(
      withIngest('mqtt://127.0.0.1:1', { subscriptions: [{ topic: 'a/#/b', preset: 'tsValues' }] }),
      /^RefusedError: ingest\.mqtt\[0\]\.subscriptions\[0\]: the topic "a\/#\/b" is wrong/,
    )
  })
})

describe('kill -9', () => {
  test('of the service loses no message and stores none twice', async () => {
    await killService(runs(20, 2), 400)
  })

  test('of the broker loses no message that it has stored, and stores none twice', async () => {
    await killBroker(runs(20, 2), 50)
  })
})
