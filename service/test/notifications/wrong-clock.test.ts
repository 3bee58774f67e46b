import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../_eventually.ts'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { StoredDelivery, Storage } from '../../src/storage/storage.ts'
import { SendError, type Channel } from '../../src/notifications/channel.ts'
import { startDeliveryJob, type DeliveryJobOptions } from '../../src/notifications/delivery-job.ts'
import { alarm, tell } from './_alarms.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 2, 1, 12)
const SITE = new Catalogue({ version: 1, entries: [], defaultGroups: [], sensorKeys: new Map() })

/** A receiver, the running time, and a clock that somebody sets. */
class World implements AsyncDisposable {
  readonly storage: Storage
  readonly ids: string[] = []
  running = 0
  /** By how much the clock is wrong. */
  wrong = 0
  isAway = true
  readonly #folder: string
  #job: AsyncDisposable | undefined

  private constructor(storage: Storage, folder: string) {
    this.storage = storage
    this.#folder = folder
  }

  static async open(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-clock-'))
    return new World(await openSqlite(folder, { synchronous: 'OFF' }), folder)
  }

  get now(): number {
    return START + this.running + this.wrong
  }

  /** Begins, or begins again as after a restart. */
  async start(options: Partial<DeliveryJobOptions> = {}): Promise<void> {
    await this.#job?.[Symbol.asyncDispose]()
    const channel: Channel = {
      name: 'hook',
      send: async ({ id }) => {
        if (this.isAway) throw new SendError('no route')
        this.ids.push(id)
        return undefined
      },
    }
    this.#job = startDeliveryJob({
      storage: this.storage,
      catalogue: async () => SITE,
      rules: [{ name: 'all', to: ['hook'] }],
      channels: new Map([['hook', channel]]),
      backOff: { first: 5000, longest: HOUR, giveUpAfter: 3 * DAY },
      flood: { messages: 0, seconds: 600 },
      keepLog: 365 * DAY,
      trustedNow: () => START + this.running,
      pollMilliseconds: 5,
      log: pino({ level: 'silent' }),
      now: () => this.now,
      monotonic: () => this.running,
      random: () => 1,
      ...options,
    })
  }

  async tell(id: number): Promise<void> {
    await tell(this.storage, alarm(id), undefined, { createdAt: this.now })
  }

  async delivery(id: number): Promise<StoredDelivery | undefined> {
    return (await this.storage.deliveries.list({ alarm: id, limit: 1 }))[0]
  }

  async attempts(id: number): Promise<number> {
    return (await this.delivery(id))?.attempts ?? 0
  }

  /** The delivery is tried for the first time, or was already. */
  async firstTry(id: number): Promise<void> {
    await eventually(async () => assert.ok((await this.attempts(id)) > 0))
  }

  /** So much time goes by, in which the delivery is tried again. */
  async fail(id: number, milliseconds: number): Promise<void> {
    const before = await this.attempts(id)
    this.running += milliseconds
    await eventually(async () => assert.ok((await this.attempts(id)) > before))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#job?.[Symbol.asyncDispose]()
    await this.storage[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

describe('notifications by a wrong clock', () => {
  test('a clock that is far ahead for a moment gives no delivery up while a receiver is down', async () => {
    await using world = await World.open()
    await world.start()
    await world.tell(1)
    await world.firstTry(1)

    world.wrong = 5 * DAY
    await world.fail(1, 4000)
    const state = (await world.delivery(1))!.state
    world.wrong = 0
    world.isAway = false

    assert.equal(state, 'waiting')
    await eventually(() => assert.deepEqual(world.ids, ['alarm-1-0']))
  })

  test('deliveries of an earlier start are given up after the longest pause and some attempts', async () => {
    await using world = await World.open()
    await world.start()
    await world.tell(1)
    await world.tell(2)
    await world.firstTry(1)
    world.running += 4 * DAY
    await world.start()

    let quarters = 0
    const waiting = async () =>
      (await world.storage.deliveries.list({ state: 'waiting', limit: 9 })).length
    // A busy machine takes more quarters: it tries less often in each.
    const end = performance.now() + 30_000
    while ((await waiting()) > 0 && performance.now() < end) {
      quarters++
      world.running += 15 * MINUTE
      await new Promise((resolve) => setTimeout(resolve, 30))
    }

    const tries = (await world.attempts(1)) + (await world.attempts(2))
    assert.equal(await waiting(), 0)
    assert.ok(quarters >= 4 && tries >= 5, `${quarters} quarters, ${tries} tries`)
  })

  test('a delivery is retried at once when a clock that was a day ahead is right again', async () => {
    await using world = await World.open()
    world.wrong = DAY
    await world.start()
    await world.tell(1)
    await world.firstTry(1)

    world.wrong = 0
    world.isAway = false

    await eventually(() => assert.deepEqual(world.ids, ['alarm-1-0']))
  })

  test('a delivery is retried at once after a restart with a clock that was set back', async () => {
    await using world = await World.open()
    world.wrong = DAY
    await world.start()
    await world.tell(1)
    await world.firstTry(1)
    world.isAway = false
    world.wrong = 0

    await world.start()

    await eventually(() => assert.deepEqual(world.ids, ['alarm-1-0']))
  })

  test('a clock that is set back does not shorten the pauses between attempts', async () => {
    await using world = await World.open()
    world.wrong = DAY
    for (const id of [1, 2, 3]) await world.tell(id)
    await world.start()
    await eventually(async () => assert.equal((await world.delivery(3))?.nextAt, world.now + 5000))
    world.wrong = 0
    await eventually(async () => {
      const list = await world.storage.deliveries.list({ limit: 9 })
      assert.ok(list.every(({ nextAt }) => nextAt > world.now && nextAt <= world.now + HOUR))
    })
    await new Promise((resolve) => setTimeout(resolve, 60))

    const list = await world.storage.deliveries.list({ limit: 9 })
    const tries = list.reduce((sum, { attempts }) => sum + attempts, 0)
    assert.equal(tries, 2)
  })

  test('the flood guard ignores messages dated ahead of the clock, and their summary is sent', async () => {
    await using world = await World.open()
    world.wrong = DAY
    world.isAway = false
    await world.start({ flood: { messages: 1, seconds: 600 } })
    await world.tell(1)
    await eventually(() => assert.equal(world.ids.length, 1))
    await world.tell(2)
    await eventually(async () => assert.equal((await world.delivery(2))?.state, 'suppressed'))

    world.wrong = 0
    await eventually(() => assert.equal(world.ids.length, 2))
    await world.tell(3)

    await eventually(() => assert.equal(world.ids[2], 'alarm-3-0'))
    assert.match(world.ids[1]!, /^summary-/)
  })

  test('a reminder comes within its interval after the clock was a day ahead', async () => {
    await using world = await World.open()
    world.wrong = DAY
    world.isAway = false
    await world.start({ rules: [{ name: 'all', to: ['hook'], reminderEvery: 600 }] })
    await world.tell(1)
    await eventually(() => assert.equal(world.ids.length, 1))

    world.wrong = 0
    world.running += 10 * MINUTE

    await eventually(() => assert.match(world.ids[1]!, /^alarm-1-reminder-/))
  })
})
