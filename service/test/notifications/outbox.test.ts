import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { describe } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import type { AlarmDetail } from '@plumbline/contract'
import { runs } from '../_random.ts'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import type { Notification } from '../../src/domain/notifications/notification.ts'
import type { NotificationRule } from '../../src/domain/notifications/rules.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { StoredDelivery, Storage, DeliveryStore } from '../../src/storage/storage.ts'
import { SendError, type Channel } from '../../src/notifications/channel.ts'
import { fanOut } from '../../src/notifications/fan-out.ts'
import { ChannelSender } from '../../src/notifications/channel-sender.ts'
import { alarm, step } from './_alarms.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.UTC(2026, 2, 1, 12)
const FLOOD = { messages: 4, seconds: 600 }
const BACK_OFF = { first: 5000, longest: 10 * MINUTE, giveUpAfter: 6 * HOUR }

const RULES: readonly NotificationRule[] = [
  {
    name: 'all',
    to: ['mail'],
    events: ['new', 'repeated', 'escalated', 'cleared', 'confirmed'],
    quietHours: [{ from: '22:00', to: '06:00', exceptLevels: [1] }],
    reminderEvery: 1800,
  },
  { name: 'worst', to: ['mail', 'hook'], levels: [1] },
  { name: 'third', to: ['hook'], levels: [3], reminderEvery: 600 },
]
const CHANNELS = ['mail', 'hook'] as const

/** What a receiver does with the next message. */
type Mood = 'takes' | 'down' | 'refuses' | 'refusesFirst' | 'crash'

type Received = { channel: string; message: Notification; at: number; isConfirmed: boolean }

/** The outbox, whom it tells and a clock, all held in hand. */
class World implements AsyncDisposable {
  readonly storage: Storage
  readonly received: Received[] = []
  readonly crashed = new Set<string>()
  readonly moods = new Map<string, Mood>(CHANNELS.map((name) => [name, 'takes']))
  readonly steps = new Map<number, { details: AlarmDetail[]; state: number; level: number }>()
  readonly notices: { alarm: number; step: number; level: number; state: number }[] = []
  readonly endedAt = new Map<number, number>()
  now = START
  jitter = 0.5
  #isDead = false
  #senders = new Map<string, ChannelSender>()
  readonly #folder: string

  private constructor(storage: Storage, folder: string) {
    this.storage = storage
    this.#folder = folder
  }

  static async open(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-outbox-'))
    return new World(await openSqlite(folder, { synchronous: 'OFF' }), folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.storage[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Something happens to an alarm, as the engine would write it down. */
  async happen(id: number, state: 0 | 1 | 2 | 3 | 4, level: number, isLate: boolean) {
    const known = this.steps.get(id)
    if (known === undefined ? state !== 0 : known.state >= 3 || state === 0) return
    const details = [...(known?.details ?? []), step({ alarmState: state, currentLevel: level })]
    this.steps.set(id, { details, state, level })
    if (state >= 3) this.endedAt.set(id, this.now)
    await this.storage.alarms.put([{ ...alarm(id, { state, level }), details }])
    const place = details.length - 1
    await this.storage.outbox.add([{ alarm: id, step: place, isLate, createdAt: this.now }])
    this.notices.push({ alarm: id, step: place, level, state })
  }

  async round(): Promise<void> {
    const { signal } = new AbortController()
    await fanOut(
      {
        storage: this.storage,
        catalogue: async () => NO_SITE,
        rules: RULES,
        log: SILENT,
        now: () => this.now,
      },
      signal,
    )
    for (const name of await this.storage.deliveries.listDueChannels(this.now)) {
      const cut = new AbortController()
      this.#isDead = false
      await this.#sender(name, cut).sendDue({ stop: signal, abort: cut.signal })
      // Who has crashed remembers nothing.
      if (this.#isDead) this.#senders.clear()
    }
  }

  list(): Promise<StoredDelivery[]> {
    return this.storage.deliveries.list({ limit: 10_000 })
  }

  #sender(name: string, cut: AbortController): ChannelSender {
    const known = this.#senders.get(name)
    this.#cut = cut
    if (known !== undefined) return known
    const sender = new ChannelSender({
      storage: { ...this.storage, deliveries: this.#mortal() },
      channel: this.#channel(name),
      backOff: BACK_OFF,
      flood: FLOOD,
      log: SILENT,
      now: () => this.now,
      trustedNow: () => this.now,
      oldUpTo: () => Infinity,
      random: () => this.jitter,
      recordMilliseconds: 1,
    })
    this.#senders.set(name, sender)
    return sender
  }

  #cut = new AbortController()

  /** A dead process writes nothing down. */
  #mortal(): DeliveryStore {
    const { deliveries } = this.storage
    const complete: DeliveryStore['complete'] = async (...given) => {
      if (this.#isDead) throw new Error('the process is gone')
      return deliveries.complete(...given)
    }
    return { ...deliveries, complete }
  }

  #channel(name: string): Channel {
    return {
      name,
      send: async (message) => {
        const mood = this.moods.get(name)!
        if (mood === 'down') throw new SendError('no route')
        const isFirst = message.id === 'alarm-1-0'
        if (mood === 'refuses' || (mood === 'refusesFirst' && isFirst))
          throw new SendError('no such thing', { isAboutMessage: true })
        const isConfirmed = mood !== 'crash'
        this.received.push({ channel: name, message, at: this.now, isConfirmed })
        if (isConfirmed) return undefined
        this.moods.set(name, 'takes')
        this.crashed.add(`${name} ${message.id}`)
        this.#isDead = true
        this.#cut.abort()
        return undefined
      },
    }
  }
}

const SILENT = pino({ level: 'silent' })
const NO_SITE = new Catalogue({
  version: 1,
  entries: [],
  defaultGroups: [],
  sensorKeys: new Map(),
})

type Command = (world: World) => Promise<void>

const someAlarm = fc.integer({ min: 1, max: 4 })
const level = fc.integer({ min: 1, max: 3 })

const commands: fc.Arbitrary<Command>[] = [
  fc
    .tuple(someAlarm, fc.constantFrom(0, 0, 1, 1, 2, 3, 4), level, fc.integer({ max: 9, min: 0 }))
    .map(
      ([id, state, of, chance]) =>
        (world) =>
          world.happen(id, state, of, chance === 0),
    ),
  fc
    .constantFrom(0, 1000, 30_000, 5 * MINUTE, 10 * MINUTE, HOUR, 9 * HOUR)
    .map((milliseconds) => async (world) => {
      world.now += milliseconds
    }),
  fc.constant((world) => world.round()),
  fc
    .tuple(
      fc.constantFrom(...CHANNELS),
      fc.constantFrom('takes', 'down', 'refuses', 'crash', 'takes'),
    )
    .map(([name, mood]) => async (world) => {
      world.moods.set(name, mood as Mood)
    }),
  fc.double({ min: 0, max: 1, noNaN: true }).map((jitter) => async (world) => {
    world.jitter = jitter
  }),
  fc.constant(async (world) => {
    const window = { structures: [1], stations: [], reason: 'cables', createdAt: world.now }
    await world.storage.maintenance.add({
      ...window,
      startsAt: world.now,
      endsAt: world.now + HOUR,
    })
  }),
]

/** Everybody answers again, every alarm ends, and time goes by until nothing waits. */
async function settle(world: World): Promise<void> {
  for (const name of CHANNELS) world.moods.set(name, 'takes')
  for (const [id, { state }] of world.steps)
    if (state < 3) await world.happen(id, 3, world.steps.get(id)!.level, false)
  for (let turn = 0; turn < 200; turn++) {
    await world.round()
    if ((await world.storage.deliveries.list({ state: 'waiting', limit: 1 })).length === 0) return
    world.now += 5 * MINUTE
  }
  assert.fail('something waits for ever')
}

const named = (state: number, of: number): string[] => {
  const rules = RULES.filter(
    ({ levels, events }) => (levels?.includes(of) ?? true) && (events !== undefined || state !== 1),
  )
  return [...new Set(rules.flatMap(({ to }) => to))].toSorted()
}

function assertToldOrExplained(world: World, deliveries: readonly StoredDelivery[]): void {
  const steps = deliveries.filter(({ kind }) => kind === 'alarm')
  for (const notice of world.notices) {
    const ofNotice = steps.filter((one) => one.alarm === notice.alarm && one.step === notice.step)
    const channels = ofNotice.map(({ channel }) => channel).toSorted()
    assert.deepEqual(channels, named(notice.state, notice.level), JSON.stringify(notice))
  }
  for (const one of deliveries) {
    const arrived = world.received.filter(
      ({ channel, message }) => channel === one.channel && message.id.startsWith(idOf(one)),
    )
    if (one.state === 'delivered') assert.ok(arrived.length > 0, JSON.stringify(one))
    else assert.ok(one.reason, JSON.stringify(one))
  }
}

/** The message's number, or as much of it as the log knows. */
function idOf({ id, kind, alarm: of, step: place }: StoredDelivery): string {
  if (kind === 'summary') return `summary-${id}`
  return kind === 'alarm' ? `alarm-${of}-${place}` : `alarm-${of}-reminder-`
}

function assertOnce({ received, crashed }: World): void {
  const known = new Map<string, number>()
  for (const { channel, message, isConfirmed } of received) {
    const key = `${channel} ${message.id}`
    if (!isConfirmed) continue
    known.set(key, (known.get(key) ?? 0) + 1)
    assert.equal(known.get(key), 1, `${key} was confirmed twice`)
  }
  for (const { channel, message } of received) {
    const key = `${channel} ${message.id}`
    const times = received.filter((one) => `${one.channel} ${one.message.id}` === key).length
    assert.ok(times === 1 || crashed.has(key), `${key} came ${times} times without a crash`)
  }
}

function assertReminders(world: World, deliveries: readonly StoredDelivery[]): void {
  for (const { message, at } of world.received)
    if (message.kind === 'reminder')
      assert.ok(at <= (world.endedAt.get(message.alarm.id) ?? Infinity), 'after the end')
  const told = deliveries
    .filter(({ reason }) => reason === null || !/^(quiet|maintenance|late)/.test(reason))
    .toSorted((one, other) => one.id - other.id)
  for (const [at, one] of told.entries()) {
    if (one.kind !== 'reminder') continue
    const previous = told
      .slice(0, at)
      .findLast((other) => other.alarm === one.alarm && other.channel === one.channel)
    const every = one.rules.includes('third') ? 600_000 : 1_800_000
    const since = previous?.createdAt ?? START
    assert.ok(one.createdAt - since >= every, `${one.createdAt - since} ms after the last`)
  }
}

function assertNoFlood({ received }: World): void {
  for (const channel of CHANNELS) {
    const times = received
      .filter((one) => one.channel === channel && one.isConfirmed && one.message.kind !== 'summary')
      .map(({ at }) => at)
    for (const at of times) {
      const within = times.filter((time) => time <= at && time > at - FLOOD.seconds * 1000)
      assert.ok(within.length <= FLOOD.messages, `${within.length} messages within the window`)
    }
  }
}

/** Every message that was held back is in exactly one summary. */
function assertSummaries({ received }: World, deliveries: readonly StoredDelivery[]): void {
  for (const channel of CHANNELS) {
    const held = deliveries.filter(
      (one) => one.channel === channel && one.reason?.startsWith('flood') === true,
    )
    const counts = new Map<string, number>()
    for (const { channel: of, message } of received)
      if (of === channel && message.kind === 'summary') counts.set(message.id, message.heldBack)
    const counted = [...counts.values()].reduce((sum, count) => sum + count, 0)
    assert.equal(counted, held.length, channel)
  }
}

describe('the outbox', () => {
  test('tells everybody at least once or says why not, whatever fails and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...commands), { minLength: 10, maxLength: 60, size: 'max' }),
        async (list) => {
          await using world = await World.open()
          for (const command of list) await command(world)
          await settle(world)

          const deliveries = await world.list()
          assertToldOrExplained(world, deliveries)
          assertOnce(world)
          assertReminders(world, deliveries)
          assertNoFlood(world)
          assertSummaries(world, deliveries)
        },
      ),
      { numRuns: runs(60) },
    )
  })

  test('of a receiver that is down is tried by one message at a time, and given up at last', async () => {
    await using world = await World.open()
    world.moods.set('hook', 'down')
    for (const id of [1, 2, 3]) await world.happen(id, 0, 1, false)

    await world.round()
    const first = await world.storage.deliveries.list({ channel: 'hook', limit: 10 })
    for (let tries = 0; tries < 3; tries++) {
      world.now += HOUR
      await world.round()
    }
    world.now += 4 * HOUR
    await world.happen(4, 0, 1, false)
    await world.round()
    const last = await world.storage.deliveries.list({ channel: 'hook', limit: 10 })

    assert.deepEqual(first.map(({ attempts }) => attempts).toSorted(), [0, 0, 1])
    assert.equal(new Set(first.map(({ nextAt }) => nextAt)).size, 1)
    assert.deepEqual(
      last.map(({ alarm: id, state, attempts, reason, lastError }) => {
        return [id, state, attempts, reason, lastError]
      }),
      [
        [4, 'waiting', 1, null, 'no route'],
        [3, 'givenUp', 1, 'given up', 'no route'],
        [2, 'givenUp', 1, 'given up', 'no route'],
        [1, 'givenUp', 2, 'given up', 'no route'],
      ],
    )
  })

  test('lets a message that is refused wait alone', async () => {
    await using world = await World.open()
    world.moods.set('hook', 'refusesFirst')
    await world.happen(1, 0, 1, false)
    await world.happen(2, 0, 1, false)

    await world.round()

    const list = await world.storage.deliveries.list({ channel: 'hook', limit: 10 })
    assert.deepEqual(
      list.map(({ alarm: id, state }) => [id, state]),
      [
        [2, 'delivered'],
        [1, 'waiting'],
      ],
    )
  })

  test('reminds of nothing any more as soon as it is told that the alarm has ended', async () => {
    await using world = await World.open()
    await world.happen(1, 0, 2, false)
    await world.round()
    const before = await world.storage.outbox.listDueReminders(Infinity, 10)
    await world.happen(1, 3, 2, false)

    await world.round()

    assert.equal(before.length, 1)
    assert.deepEqual(await world.storage.outbox.listDueReminders(Infinity, 10), [])
  })

  test('says nothing of an alarm that is gone, and goes on', async () => {
    await using world = await World.open()
    await world.storage.outbox.add([{ alarm: 99, step: 0, isLate: false, createdAt: world.now }])
    await world.happen(1, 0, 2, false)

    await world.round()

    assert.deepEqual(
      world.received.map(({ message }) => message.id),
      ['alarm-1-0'],
    )
  })

  test('suppresses what waited for a receiver when it is a reminder and the alarm has ended', async () => {
    await using world = await World.open()
    await world.happen(1, 0, 3, false)
    await world.round()
    world.moods.set('hook', 'down')
    world.now += 10 * MINUTE
    await world.round()
    await world.happen(1, 3, 2, false)
    world.moods.set('hook', 'takes')
    world.now += HOUR
    await world.round()

    const [reminder] = await world.storage.deliveries.list({ channel: 'hook', limit: 1 })
    assert.deepEqual(
      [reminder!.kind, reminder!.state, reminder!.reason],
      ['reminder', 'suppressed', 'the alarm has ended'],
    )
  })
})
