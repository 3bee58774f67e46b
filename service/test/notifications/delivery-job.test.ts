import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../_eventually.ts'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { DeliveryStore } from '../../src/storage/storage.ts'
import type { Channel } from '../../src/notifications/channel.ts'
import { startDeliveryJob, type DeliveryJobOptions } from '../../src/notifications/delivery-job.ts'
import { alarm, addAlarm } from './_alarms.ts'

const NEVER = 3_600_000
const SITE = new Catalogue({ version: 1, entries: [], defaultGroups: [], sensorKeys: new Map() })

/** A channel that keeps its messages and responds on demand. */
class Slow implements Channel {
  readonly name = 'hook'
  readonly ids: string[] = []
  readonly began: string[] = []
  /** Resolves when what is sent now may be confirmed. */
  gate: Promise<void> = Promise.resolve()

  async send({ id }: { id: string }, signal: AbortSignal): Promise<undefined> {
    this.began.push(id)
    const cut = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => cut.reject(signal.reason as Error))
    await Promise.race([this.gate, cut.promise])
    this.ids.push(id)
    return undefined
  }
}

async function withStorage() {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-job-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const storage = stack.use(await openSqlite(folder, { synchronous: 'OFF' }))
  const kept = stack.move()
  return { storage, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const start = (
  storage: DeliveryJobOptions['storage'],
  channel: Channel,
  options: Partial<DeliveryJobOptions> = {},
) =>
  startDeliveryJob({
    storage,
    catalogue: async () => SITE,
    rules: [{ name: 'all', to: ['hook'] }],
    channels: new Map([[channel.name, channel]]),
    backOff: { first: 10, longest: 100, giveUpAfter: NEVER },
    flood: { messages: 0, seconds: 1 },
    keepLog: NEVER,
    trustedNow: Date.now,
    pollMilliseconds: 20,
    log: pino({ level: 'silent' }),
    now: Date.now,
    random: () => 0,
    ...options,
  })

describe('the delivery job', () => {
  test('starts at once on its signal', async () => {
    await using place = await withStorage()
    const channel = new Slow()
    await using job = start(place.storage, channel, { pollMilliseconds: NEVER })

    await addAlarm(place.storage, alarm(1))
    job.wake()

    await eventually(() => assert.deepEqual(channel.ids, ['alarm-1-0']))
  })

  test('runs in one instance at a time, and each message is sent by one instance', async () => {
    await using place = await withStorage()
    const channel = new Slow()
    await using _one = start(place.storage, channel)
    await using _other = start(place.storage, channel)
    const ids = Array.from({ length: 30 }, (_, at) => at + 1)

    for (const id of ids) await addAlarm(place.storage, alarm(id))
    await eventually(() => assert.ok(channel.ids.length >= ids.length))
    // A delivery that one instance sent again would come before a later one.
    const last = ids.length + 1
    await addAlarm(place.storage, alarm(last))
    await eventually(() => assert.ok(channel.ids.includes(`alarm-${last}-0`)))
    ids.push(last)

    assert.deepEqual(channel.ids.toSorted(), ids.map((id) => `alarm-${id}-0`).toSorted())
  })

  test('waits on stop for a pending response and stores it', async () => {
    await using place = await withStorage()
    const channel = new Slow()
    const gate = Promise.withResolvers<void>()
    channel.gate = gate.promise
    const job = start(place.storage, channel)
    await addAlarm(place.storage, alarm(1))
    await addAlarm(place.storage, alarm(2))
    await eventually(() => assert.deepEqual(channel.began, ['alarm-1-0']))

    const stopped = job[Symbol.asyncDispose]()
    gate.resolve()
    await stopped

    const list = await place.storage.deliveries.list({ limit: 10 })
    assert.deepEqual(channel.began, ['alarm-1-0'])
    assert.equal(list.findLast(({ alarm: id }) => id === 1)?.state, 'delivered')
  })

  test('aborts on stop a request without a response, and the delivery waits', async () => {
    await using place = await withStorage()
    const channel = new Slow()
    channel.gate = new Promise(() => {})
    const job = start(place.storage, channel)
    await addAlarm(place.storage, alarm(1))
    await eventually(() => assert.equal(channel.began.length, 1))

    await job[Symbol.asyncDispose]()

    const [waiting] = await place.storage.deliveries.list({ limit: 10 })
    assert.deepEqual([waiting!.state, waiting!.attempts], ['waiting', 0])
  })

  test('sends a confirmed message only once while its confirmation cannot be stored', async () => {
    await using place = await withStorage()
    const channel = new Slow()
    let failures = 0
    const complete: DeliveryStore['complete'] = async (...given) => {
      if (failures++ < 2) throw new Error('the disk is full')
      return place.storage.deliveries.complete(...given)
    }
    const storage = {
      ...place.storage,
      deliveries: { ...place.storage.deliveries, complete },
    }
    await using _ = start(storage, channel)

    await addAlarm(place.storage, alarm(1))
    await eventually(async () => {
      const [sent] = await place.storage.deliveries.list({ limit: 1 })
      assert.equal(sent?.state, 'delivered')
    })

    assert.deepEqual([channel.ids, failures], [['alarm-1-0'], 3])
  })

  test('serves the other channels while one is slow', async () => {
    await using place = await withStorage()
    const slow = new Slow()
    slow.gate = new Promise(() => {})
    const sent: string[] = []
    const quick: Channel = {
      name: 'quick',
      async send({ id }) {
        sent.push(id)
        return undefined
      },
    }
    await using _ = start(place.storage, slow, {
      channels: new Map<string, Channel>([
        ['hook', slow],
        ['quick', quick],
      ]),
      rules: [{ name: 'all', to: ['hook', 'quick'] }],
    })

    for (const id of [1, 2, 3]) {
      await addAlarm(place.storage, alarm(id))
      await eventually(() => assert.equal(sent.length, id))
    }

    assert.deepEqual(slow.began, ['alarm-1-0'])
  })

  test('keeps deliveries of a channel that the settings no longer name, and logs it', async () => {
    await using place = await withStorage()
    await using _ = start(place.storage, new Slow(), { rules: [{ name: 'old', to: ['gone'] }] })

    await addAlarm(place.storage, alarm(1))
    await eventually(async () => {
      const [waiting] = await place.storage.deliveries.list({ limit: 1 })
      assert.equal(waiting?.lastError, 'the settings have no channel of this name')
    })
  })

  test('deletes completed deliveries when their retention period is over', async () => {
    await using place = await withStorage()
    const channel = new Slow()
    let now = Date.now()
    await using _ = start(place.storage, channel, {
      keepLog: 60_000,
      expiryMilliseconds: 20,
      now: () => now,
      trustedNow: () => now,
    })
    await addAlarm(place.storage, alarm(1), undefined, { now })
    await eventually(() => assert.equal(channel.ids.length, 1))

    now += 2 * 3_600_000

    await eventually(async () =>
      assert.deepEqual(await place.storage.deliveries.list({ limit: 10 }), []),
    )
  })
})
