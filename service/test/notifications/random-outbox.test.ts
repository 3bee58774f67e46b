import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import type { StoredDelivery } from '../../src/storage/storage.ts'
import {
  CHANNELS,
  FLOOD,
  HOUR,
  MINUTE,
  type ReceiverState,
  RULES,
  START,
  TestOutbox,
  level,
} from './_test-outbox.ts'

type Command = (outbox: TestOutbox) => Promise<void>

const someAlarm = fc.integer({ min: 1, max: 4 })

const commands: fc.Arbitrary<Command>[] = [
  fc
    .tuple(someAlarm, fc.constantFrom(0, 0, 1, 1, 2, 3, 4), level, fc.integer({ max: 9, min: 0 }))
    .map(
      ([id, state, of, chance]) =>
        (outbox) =>
          outbox.addTransition(id, state, of, chance === 0),
    ),
  fc
    .constantFrom(0, 1000, 30_000, 5 * MINUTE, 10 * MINUTE, HOUR, 9 * HOUR)
    .map((milliseconds) => async (outbox) => {
      outbox.now += milliseconds
    }),
  fc.constant((outbox) => outbox.round()),
  fc
    .tuple(
      fc.constantFrom(...CHANNELS),
      fc.constantFrom('takes', 'down', 'refuses', 'crash', 'takes'),
    )
    .map(([name, receiverState]) => async (outbox) => {
      outbox.receiverStates.set(name, receiverState as ReceiverState)
    }),
  fc.double({ min: 0, max: 1, noNaN: true }).map((jitter) => async (outbox) => {
    outbox.jitter = jitter
  }),
  fc.constant(async (outbox) => {
    const window = { structures: [1], stations: [], reason: 'cables', createdAt: outbox.now }
    await outbox.storage.maintenance.add({
      ...window,
      startsAt: outbox.now,
      endsAt: outbox.now + HOUR,
    })
  }),
]

/** Every receiver responds again, every alarm ends, and time passes until no delivery waits. */
async function deliverAll(outbox: TestOutbox): Promise<void> {
  for (const name of CHANNELS) outbox.receiverStates.set(name, 'takes')
  for (const [id, { state }] of outbox.steps)
    if (state < 3) await outbox.addTransition(id, 3, outbox.steps.get(id)!.level, false)
  for (let turn = 0; turn < 200; turn++) {
    await outbox.round()
    if ((await outbox.storage.deliveries.list({ state: 'waiting', limit: 1 })).length === 0) return
    outbox.now += 5 * MINUTE
  }
  assert.fail('something waits for ever')
}

const channelsOf = (state: number, of: number): string[] => {
  const rules = RULES.filter(
    ({ levels, events }) => (levels?.includes(of) ?? true) && (events !== undefined || state !== 1),
  )
  return [...new Set(rules.flatMap(({ to }) => to))].toSorted()
}

function assertDeliveredOrExplained(
  outbox: TestOutbox,
  deliveries: readonly StoredDelivery[],
): void {
  const steps = deliveries.filter(({ kind }) => kind === 'alarm')
  for (const transition of outbox.transitions) {
    const ofNotice = steps.filter(
      (one) => one.alarm === transition.alarm && one.step === transition.step,
    )
    const channels = ofNotice.map(({ channel }) => channel).toSorted()
    assert.deepEqual(
      channels,
      channelsOf(transition.state, transition.level),
      JSON.stringify(transition),
    )
  }
  for (const one of deliveries) {
    const arrived = outbox.received.filter(
      ({ channel, message }) => channel === one.channel && message.id.startsWith(idOf(one)),
    )
    if (one.state === 'delivered') assert.ok(arrived.length > 0, JSON.stringify(one))
    else assert.ok(one.reason, JSON.stringify(one))
  }
}

/** The id of the message, or its beginning as far as the delivery has it. */
function idOf({ id, kind, alarm: of, step: place }: StoredDelivery): string {
  if (kind === 'summary') return `summary-${id}`
  return kind === 'alarm' ? `alarm-${of}-${place}` : `alarm-${of}-reminder-`
}

function assertOnce({ received, crashed }: TestOutbox): void {
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

function assertReminders(outbox: TestOutbox, deliveries: readonly StoredDelivery[]): void {
  for (const { message, at } of outbox.received)
    if (message.kind === 'reminder')
      assert.ok(at <= (outbox.endedAt.get(message.alarm.id) ?? Infinity), 'after the end')
  const sent = deliveries
    .filter(({ reason }) => reason === null || !/^(quiet|maintenance|late)/.test(reason))
    .toSorted((one, other) => one.id - other.id)
  for (const [at, one] of sent.entries()) {
    if (one.kind !== 'reminder') continue
    const previous = sent
      .slice(0, at)
      .findLast((other) => other.alarm === one.alarm && other.channel === one.channel)
    const every = one.rules.includes('third') ? 600_000 : 1_800_000
    const since = previous?.createdAt ?? START
    assert.ok(one.createdAt - since >= every, `${one.createdAt - since} ms after the last`)
  }
}

function assertNoFlood({ received }: TestOutbox): void {
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

/** Every suppressed message is counted in exactly one summary. */
function assertSummaries({ received }: TestOutbox, deliveries: readonly StoredDelivery[]): void {
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
          await using outbox = await TestOutbox.open()
          for (const command of list) await command(outbox)
          await deliverAll(outbox)

          const deliveries = await outbox.list()
          assertDeliveredOrExplained(outbox, deliveries)
          assertOnce(outbox)
          assertReminders(outbox, deliveries)
          assertNoFlood(outbox)
          assertSummaries(outbox, deliveries)
        },
      ),
      { numRuns: runs(60) },
    )
  })
})
