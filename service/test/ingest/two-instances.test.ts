import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { inDatabase } from '../_sealed.ts'
import { makeFolder } from './_kills.ts'
import { Publisher, range, requireStored, storedNumbers } from './_messages.ts'
import { Mosquitto } from './_mosquitto.ts'
import { SENSORS } from './_site.ts'

const subscriptions = [{ topic: 'site/{sensor}/up', preset: 'tsValues' }]

const startInstance = (folder: string, { url }: Mosquitto, version: number): Promise<Child> =>
  startChild(folder, {
    // What is sealed is not where it is looked for.
    PLUMBLINE_SEAL_EVERY_MINUTES: '0',
    PLUMBLINE_INGEST_MQTT: JSON.stringify([{ name: 'test', url, version, subscriptions }]),
  })

const countRejects = (folder: string): number =>
  inDatabase(folder, (database) =>
    database.prepare<[], number>('select count(*) from rejects').pluck().get(),
  )!

async function readState(instance: Child) {
  const { text } = await instance.getOps('/health/ingest')
  const [state] = JSON.parse(text).sources
  return { connections: state.connections, messages: state.counts.messages }
}

const isConnected = ({ logged }: Child): void => assert.match(logged, /connected, and subscribed/)

const isLost = ({ logged }: Child): boolean => logged.includes('the connection is lost')

describe('two instances on one broker', () => {
  for (const version of [4, 5])
    test(`one receives, and the other takes over when it is killed, by MQTT ${version}`, async () => {
      await using stack = new AsyncDisposableStack()
      const folder = await makeFolder(stack)
      await using broker = await Mosquitto.start()
      await using publisher = await Publisher.connect(broker.url)
      await using first = await startInstance(folder, broker, version)
      await eventually(() => isConnected(first))
      await using other = await startInstance(folder, broker, version)
      await eventually(() => assert.match(other.logged, /another instance receives the messages/))

      await publisher.publishRecords(range(0, 200))
      for (const bad of range(0, 20))
        await publisher.publish(`site/${SENSORS.single}/up`, `{"bad": ${bad}`)

      await eventually(() => requireStored(folder, range(0, 200)))
      await eventually(() => assert.equal(countRejects(folder), 20))
      assert.deepEqual(await readState(first), { connections: 1, messages: 220 })
      assert.deepEqual(await readState(other), { connections: 0, messages: 0 })

      const published = publisher.publishRecords(range(200, 2000))
      await eventually(() => assert.ok(storedNumbers(folder).length > 200))
      await first.kill()
      await published
      await eventually(() => isConnected(other))
      await publisher.publishRecords(range(2000, 2100))

      await eventually(() => requireStored(folder, range(0, 2100)))
      assert.deepEqual([isLost(first), isLost(other)], [false, false])
      assert.equal((await readState(other)).connections, 1)
    })

  test('one takes over the messages of the other when that stops', async () => {
    await using stack = new AsyncDisposableStack()
    const folder = await makeFolder(stack)
    await using broker = await Mosquitto.start()
    await using publisher = await Publisher.connect(broker.url)
    await using first = await startInstance(folder, broker, 5)
    await eventually(() => isConnected(first))
    await using other = await startInstance(folder, broker, 5)

    await first.stop()
    await publisher.publishRecords(range(0, 100))

    await eventually(() => requireStored(folder, range(0, 100)))
    assert.deepEqual([isLost(first), isLost(other)], [false, false])
    await eventually(() => isConnected(other))
  })
})
