import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import type { StoredDelivery } from '../../src/storage/storage.ts'
import { CHANNELS, FLOOD, HOUR, MINUTE, type Mood, RULES, START, World, level } from './_world.ts'

type Command = (world: World) => Promise<void>

const someAlarm = fc.integer({ min: 1, max: 4 })

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
  test('every delivery arrives at least once or has a reason, under any failures and crashes', async () => {
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
})
