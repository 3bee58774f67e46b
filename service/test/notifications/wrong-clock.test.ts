import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { afterCalls } from '../_after-calls.ts'
import { eventually } from '../_eventually.ts'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { StoredDelivery, Storage } from '../../src/storage/storage.ts'
import { SendError, type Channel } from '../../src/notifications/channel.ts'
import { startDeliveryJob, type DeliveryJobOptions } from '../../src/notifications/delivery-job.ts'
import { alarm, addAlarm } from './_alarms.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 2, 1, 12)
const SITE = new Catalogue({ version: 1, entries: [], defaultGroups: [], sensorKeys: new Map() })

/** A receiver, the running time, and a clock that the test sets. */
class TestReceiver implements AsyncDisposable {
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

  static async open(): Promise<TestReceiver> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-clock-'))
    return new TestReceiver(await openSqlite(folder, { synchronous: 'OFF' }), folder)
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

  async addAlarm(id: number): Promise<void> {
    await addAlarm(this.storage, alarm(id), undefined, { now: this.now })
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
    await using harness = await TestReceiver.open()
    await harness.start()
    await harness.addAlarm(1)
    await harness.firstTry(1)

    harness.wrong = 5 * DAY
    await harness.fail(1, 4000)
    const state = (await harness.delivery(1))!.state
    harness.wrong = 0
    harness.isAway = false

    assert.equal(state, 'waiting')
    await eventually(() => assert.deepEqual(harness.ids, ['alarm-1-0']))
  })

  test('deliveries of an earlier start are given up after the longest pause and some attempts', async () => {
    await using harness = await TestReceiver.open()
    await harness.start()
    await harness.addAlarm(1)
    await harness.addAlarm(2)
    await harness.firstTry(1)
    harness.running += 4 * DAY
    await harness.start()

    let quarters = 0
    const waiting = async () =>
      (await harness.storage.deliveries.list({ state: 'waiting', limit: 9 })).length
    // A busy machine takes more quarters: it tries less often in each.
    const end = performance.now() + 30_000
    while ((await waiting()) > 0 && performance.now() < end) {
      quarters++
      harness.running += 15 * MINUTE
      await new Promise((resolve) => setTimeout(resolve, 30))
    }

    const tries = (await harness.attempts(1)) + (await harness.attempts(2))
    assert.equal(await waiting(), 0)
    assert.ok(quarters >= 4 && tries >= 5, `${quarters} quarters, ${tries} tries`)
  })

  test('a delivery is retried at once when a clock that was a day ahead is right again', async () => {
    await using harness = await TestReceiver.open()
    harness.wrong = DAY
    await harness.start()
    await harness.addAlarm(1)
    await harness.firstTry(1)

    harness.wrong = 0
    harness.isAway = false

    await eventually(() => assert.deepEqual(harness.ids, ['alarm-1-0']))
  })

  test('a delivery is retried at once after a restart with a clock that was set back', async () => {
    await using harness = await TestReceiver.open()
    harness.wrong = DAY
    await harness.start()
    await harness.addAlarm(1)
    await harness.firstTry(1)
    harness.isAway = false
    harness.wrong = 0

    await harness.start()

    await eventually(() => assert.deepEqual(harness.ids, ['alarm-1-0']))
  })

  test('a clock that is set back does not shorten the pauses between attempts', async () => {
    await using harness = await TestReceiver.open()
    harness.wrong = DAY
    for (const id of [1, 2, 3]) await harness.addAlarm(id)
    await harness.start()
    await eventually(async () =>
      assert.equal((await harness.delivery(3))?.nextAt, harness.now + 5000),
    )
    harness.wrong = 0
    await eventually(async () => {
      const list = await harness.storage.deliveries.list({ limit: 9 })
      assert.ok(list.every(({ nextAt }) => nextAt > harness.now && nextAt <= harness.now + HOUR))
    })
    await afterCalls(harness.storage.deliveries, 'listDueChannels')

    const list = await harness.storage.deliveries.list({ limit: 9 })
    const tries = list.reduce((sum, { attempts }) => sum + attempts, 0)
    assert.equal(tries, 2)
  })

  test('the flood guard ignores messages dated ahead of the clock, and their summary is sent', async () => {
    await using harness = await TestReceiver.open()
    harness.wrong = DAY
    harness.isAway = false
    await harness.start({ flood: { messages: 1, seconds: 600 } })
    await harness.addAlarm(1)
    await eventually(() => assert.equal(harness.ids.length, 1))
    await harness.addAlarm(2)
    await eventually(async () => assert.equal((await harness.delivery(2))?.state, 'suppressed'))

    harness.wrong = 0
    await eventually(() => assert.equal(harness.ids.length, 2))
    await harness.addAlarm(3)

    await eventually(() => assert.equal(harness.ids[2], 'alarm-3-0'))
    assert.match(harness.ids[1]!, /^summary-/)
  })

  test('a reminder comes within its interval after the clock was a day ahead', async () => {
    await using harness = await TestReceiver.open()
    harness.wrong = DAY
    harness.isAway = false
    await harness.start({ rules: [{ name: 'all', to: ['hook'], reminderEvery: 600 }] })
    await harness.addAlarm(1)
    await eventually(() => assert.equal(harness.ids.length, 1))

    harness.wrong = 0
    harness.running += 10 * MINUTE

    await eventually(() => assert.match(harness.ids[1]!, /^alarm-1-reminder-/))
  })
})
