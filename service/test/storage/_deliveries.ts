import assert from 'node:assert/strict'
import test from 'node:test'
import type { DueDelivery } from '../../src/storage/storage.ts'
import type { NewPlace } from './_place.ts'
import { NOTHING, alarm, deliver, dueIds, idsOf, listAll } from './_sample-delivery.ts'
import { storeAlarms } from './_stored-alarms.ts'

const expected = (id: number, parts: Partial<DueDelivery>): DueDelivery => ({
  id,
  kind: 'alarm',
  alarm: 1,
  message: '{"id":"alarm-1-0"}',
  attempts: 0,
  dueAt: 1000,
  summarized: 0,
  ...parts,
})

export function deliveryFacts(newPlace: NewPlace): void {
  test('due deliveries are listed, those with the fewest attempts first', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, {}, { channel: 'sms' }, { createdAt: 2000 }, { reason: 'late' })

    await deliveries.complete(1, { kind: 'retry', at: 1500, error: 'no answer' })

    assert.deepEqual(await dueIds(storage, 999), [])
    assert.deepEqual(await dueIds(storage, 1000), [2])
    assert.deepEqual(await dueIds(storage, 2000), [2, 4, 1])
    assert.deepEqual(idsOf(await deliveries.listDue('mail', 2000, 1)), [2])
    assert.deepEqual(await deliveries.listDueChannels(999), [])
    assert.deepEqual(await deliveries.listDueChannels(1000), ['mail', 'sms'])
    const [, , , , first] = await listAll(storage)
    assert.deepEqual([first!.attempts, first!.nextAt, first!.lastError], [1, 1500, 'no answer'])
  })

  test('a due delivery has its message and attempts, and an alarm is open or closed', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [
      { ...alarm(1), details: [] },
      { ...alarm(2, { state: 3 }), details: [] },
    ])
    await deliver(storage, {}, { alarm: 2, kind: 'reminder' }, { alarm: 3 })
    await storage.deliveries.complete(1, { kind: 'retry', at: 1100, error: 'x' })

    const due = await storage.deliveries.listDue('mail', 1100, 10)

    assert.deepEqual(due, [
      expected(2, { kind: 'reminder', alarm: 2 }),
      expected(3, { alarm: 3 }),
      expected(1, { attempts: 1 }),
    ])
    const { isOpen } = storage.alarms
    assert.deepEqual([await isOpen(1), await isOpen(2), await isOpen(3)], [true, false, false])
  })

  test('a completed delivery does not change', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, {}, {}, {})
    await deliveries.complete(1, { kind: 'delivered', at: 5000, note: null })
    await deliveries.complete(2, { kind: 'givenUp', at: 6000, error: 'no route' })
    await deliveries.complete(3, { kind: 'suppressed', reason: 'the alarm has ended' })
    await deliveries.complete(4, { kind: 'retry', at: 1100, error: 'once' })
    await deliveries.complete(4, { kind: 'delivered', at: 7000, note: 'one of two was refused' })
    const before = await listAll(storage)

    for (const id of [1, 2, 3, 4])
      for (const settlement of [
        { kind: 'retry', at: 1, error: 'x' },
        { kind: 'delivered', at: 1, note: null },
        { kind: 'givenUp', at: 1, error: 'x' },
        { kind: 'suppressed', reason: 'x' },
        { kind: 'held', reason: 'x', now: 1, at: 2 },
      ] as const)
        await deliveries.complete(id, settlement)

    assert.deepEqual(await listAll(storage), before)
    assert.deepEqual(
      before.map((one) => [one.state, one.attempts, one.lastError, one.reason, one.deliveredAt]),
      [
        ['delivered', 2, 'one of two was refused', null, 7000],
        ['suppressed', 0, null, 'the alarm has ended', null],
        ['givenUp', 1, 'no route', 'given up', null],
        ['delivered', 1, null, null, 5000],
      ],
    )
    assert.deepEqual(await dueIds(storage, 99_999), [])
  })

  test('a held delivery is counted in the summary of its channel until that is due', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, {}, { channel: 'sms' }, {}, {})
    const hold = (id: number, now: number) =>
      deliveries.complete(id, { kind: 'held', reason: 'flood', now, at: now + 600 })

    for (const [id, now] of [
      [1, 1000],
      [2, 1100],
      [3, 1100],
    ] as const)
      await hold(id, now)
    await hold(4, 1600)

    const mail = await deliveries.listDue('mail', 9999, 10)
    const summaries = mail.filter(({ kind }) => kind === 'summary')
    assert.deepEqual(
      summaries.map(({ summarized, dueAt, alarm }) => [summarized, dueAt, alarm]),
      [
        [2, 1600, null],
        [1, 2200, null],
      ],
    )
    const [sms] = await deliveries.listDue('sms', 9999, 10)
    assert.deepEqual([sms!.kind, sms!.summarized, sms!.dueAt], ['summary', 1, 1700])
    const held = await deliveries.list({ state: 'suppressed', limit: 10 })
    assert.deepEqual(idsOf(held), [4, 3, 2, 1])
    assert.deepEqual(held[0]!.reason, 'flood')
  })

  test('a summary that was attempted counts no further deliveries', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, {})
    await deliveries.complete(1, { kind: 'held', reason: 'flood', now: 1000, at: 1600 })
    await deliveries.complete(3, { kind: 'retry', at: 9000, error: 'no answer' })

    await deliveries.complete(2, { kind: 'held', reason: 'flood', now: 1700, at: 2300 })

    const due = await deliveries.listDue('mail', 9000, 10)
    assert.deepEqual(
      due.map(({ id, summarized, dueAt }) => [id, summarized, dueAt]),
      [
        [4, 1, 2300],
        [3, 1, 1600],
      ],
    )
  })

  test('deliveries to a channel after an instant count alarms and reminders', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, {}, { kind: 'reminder' }, { channel: 'sms' }, {}, {})
    await deliveries.complete(6, { kind: 'held', reason: 'flood', now: 1000, at: 1100 })
    const due = await deliveries.listDue('mail', 1100, 10)
    const summary = due.find(({ kind }) => kind === 'summary')
    for (const [id, at] of [
      [1, 5000],
      [2, 5001],
      [3, 6000],
      [4, 6000],
      [summary!.id, 6000],
    ] as const)
      await deliveries.complete(id, { kind: 'delivered', at, note: null })

    assert.equal(await deliveries.countDelivered('mail', 5000, Infinity), 2)
    assert.equal(await deliveries.countDelivered('mail', 0, Infinity), 3)
    assert.equal(await deliveries.countDelivered('mail', 0, 5000), 1)
    assert.equal(await deliveries.countDelivered('nobody', 0, Infinity), 0)
  })

  test('postponing a channel makes no delivery due earlier', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await deliver(storage, {}, { createdAt: 9000 }, { channel: 'sms' })

    await storage.deliveries.postpone('mail', 5000)

    assert.deepEqual(await dueIds(storage, 4999), [])
    assert.deepEqual(await dueIds(storage, 5000), [1])
    assert.deepEqual(await dueIds(storage, 9000), [1, 2])
    assert.deepEqual(await dueIds(storage, 1000, 'sms'), [3])
  })

  test('deliveries beyond their longest wait ahead of the clock become due', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox, deliveries } = storage
    await storeAlarms(storage, [{ ...alarm(1), details: [] }])
    await deliver(storage, {}, {}, {}, { channel: 'sms' })
    await deliveries.complete(1, { kind: 'retry', at: 5000, error: 'x' })
    await deliveries.complete(2, { kind: 'retry', at: 5001, error: 'x' })
    await deliveries.complete(3, { kind: 'held', reason: 'flood', now: 1000, at: 6000 })
    await deliveries.complete(4, { kind: 'held', reason: 'flood', now: 1000, at: 6001 })
    const set = (channel: string, at: number) =>
      outbox.fanOut({ ...NOTHING, reminders: [{ alarm: 1, channel, at, isFirst: false }] })
    await set('mail', 7000)
    await set('sms', 7001)

    await deliveries.bringForward(2000, { retry: 3000, summary: 4000, reminder: 5000 })

    assert.deepEqual(await dueIds(storage, 2000), [2])
    assert.deepEqual((await dueIds(storage, 2000, 'sms')).length, 1)
    assert.deepEqual(await dueIds(storage, 5000), [1, 2])
    const reminders = await outbox.listDueReminders(2000, 9)
    assert.deepEqual(
      reminders.map(({ channel }) => channel),
      ['sms'],
    )
  })

  test('giving up a channel covers all deliveries that were due before an instant', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(
      storage,
      {},
      { createdAt: 999 },
      { createdAt: 999 },
      { channel: 'sms', createdAt: 9 },
    )
    await deliveries.complete(3, { kind: 'delivered', at: 1000, note: null })

    const count = await deliveries.giveUp(
      'mail',
      { dueBefore: 1000, upTo: 9 },
      { at: 5000, error: 'no route' },
    )

    assert.equal(count, 1)
    assert.deepEqual(
      (await listAll(storage)).map((one) => [one.id, one.state, one.lastError, one.reason]),
      [
        [4, 'waiting', null, null],
        [3, 'delivered', null, null],
        [2, 'givenUp', 'no route', 'given up'],
        [1, 'waiting', null, null],
      ],
    )
    assert.equal((await deliveries.list({ state: 'givenUp', limit: 1 }))[0]!.nextAt, 5000)
  })

  test('deliveries are listed newest first, by channel, state and alarm, page by page', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, { alarm: 2 }, { channel: 'sms' }, { reason: 'late' })

    const list = async (query: Parameters<typeof deliveries.list>[0]) =>
      idsOf(await deliveries.list(query))

    assert.deepEqual(await list({ limit: 3 }), [4, 3, 2])
    assert.deepEqual(await list({ limit: 3, before: 2 }), [1])
    assert.deepEqual(await list({ limit: 3, channel: 'sms' }), [3])
    assert.deepEqual(await list({ limit: 3, state: 'suppressed' }), [4])
    assert.deepEqual(await list({ limit: 3, alarm: 2 }), [2])
    assert.deepEqual(await list({ limit: 3, alarm: 2, channel: 'sms' }), [])
  })

  test('waiting deliveries and those given up since an instant are counted', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, { createdAt: 1500 }, {}, {}, {}, { channel: 'sms' }, { channel: 'gone' })
    await deliveries.complete(3, { kind: 'givenUp', at: 4999, error: 'x' })
    await deliveries.complete(4, { kind: 'givenUp', at: 5000, error: 'x' })
    await deliveries.complete(5, { kind: 'delivered', at: 5000, note: null })
    await deliveries.complete(6, { kind: 'givenUp', at: 6000, error: 'x' })

    assert.deepEqual(await deliveries.count(5000), [
      { channel: 'gone', waiting: 0, waitingSince: null, givenUp: 1 },
      { channel: 'mail', waiting: 2, waitingSince: 1000, givenUp: 1 },
    ])
  })

  test('old completed deliveries expire, a few at a time; waiting ones never', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { deliveries } = storage
    await deliver(storage, {}, {}, {}, {}, { createdAt: 2000 })
    for (const id of [1, 2, 3, 5])
      await deliveries.complete(id, { kind: 'delivered', at: 9, note: null })

    assert.deepEqual(await deliveries.expire(2000, 2), { isDone: false })
    assert.deepEqual(await deliveries.expire(2000, 2), { isDone: true })

    assert.deepEqual(idsOf(await listAll(storage)), [5, 4])
  })
}
