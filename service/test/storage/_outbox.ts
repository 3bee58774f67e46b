import assert from 'node:assert/strict'
import test from 'node:test'
import type { AlarmDetail } from '@plumbline/contract'
import type { NewPlace } from './_place.ts'
import { NOTHING, alarm, deliver, delivery, dueIds, idsOf, listAll } from './_sample-delivery.ts'
import { storeAlarms } from './_stored-alarms.ts'

const detail: AlarmDetail = {
  sponsor: 'plumbline',
  alarmCode: '30070002',
  alarmState: 0,
  currentLevel: 2,
  content: 'Überschreitung 超限',
  time: '2026-01-01 00:00:00',
}

export function outboxFacts(newPlace: NewPlace): void {
  test('outbox entries are listed in order, with their alarm and transition', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox } = storage
    const second = { ...detail, alarmState: 3 as const, content: 'back to normal' }
    await storeAlarms(storage, [{ ...alarm(1), details: [detail] }], { now: 1000 })
    const ended = { ...alarm(1, { state: 3 }), details: [detail, second] }
    await storeAlarms(storage, [ended], { isLate: true, now: 2000 })
    await storeAlarms(storage, [{ ...alarm(2), details: [detail] }])

    const [first, next, ...others] = await outbox.list(10)
    const { sponsor: _, ...said } = detail
    assert.deepEqual(first, {
      id: 1,
      alarm: 1,
      step: 0,
      isLate: false,
      createdAt: 1000,
      transition: { alarm: alarm(1, { state: 3 }), detail: said },
    })
    assert.deepEqual(
      [next!.step, next!.isLate, next!.createdAt, next!.transition?.detail.content],
      [1, true, 2000, 'back to normal'],
    )
    assert.deepEqual(
      others.map((one) => [one.id, one.alarm]),
      [[3, 2]],
    )
    assert.deepEqual(idsOf(await outbox.list(2)), [1, 2])
  })

  test('open alarms can get reminders, but for those of which everything was late', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox } = storage
    for (const id of [1, 2, 3, 4])
      await storeAlarms(storage, [
        { ...alarm(id, id === 4 ? { state: 3 } : {}), details: [detail] },
      ])
    const late = { outboxEntry: 2, alarm: 2, reason: 'late: the record is older' }
    await outbox.fanOut({
      ...NOTHING,
      entries: [1, 2],
      deliveries: [delivery({ outboxEntry: 1, alarm: 1 }), delivery(late)],
    })

    const found = await outbox.listRemindable(0, 10)
    await outbox.addReminders([{ alarm: 1, channel: 'hook', at: 5 }])
    await outbox.addReminders([{ alarm: 1, channel: 'hook', at: 9 }])

    assert.deepEqual(found, [alarm(1), alarm(3)])
    assert.deepEqual(idsOf(await outbox.listRemindable(1, 10)), [3])
    const reminders = await outbox.listDueReminders(Infinity, 10)
    assert.deepEqual(
      reminders.map(({ alarm: id, channel, at }) => [id, channel, at]),
      [[1, 'hook', 5]],
    )
  })

  test('deliveries replace their outbox entries, and the id of an entry is not used again', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox } = storage
    await storeAlarms(storage, [{ ...alarm(1), details: [detail, detail] }])

    await outbox.fanOut({
      ...NOTHING,
      entries: [1, 2],
      deliveries: [
        delivery({ outboxEntry: 1 }),
        delivery({ outboxEntry: 1, channel: 'sms' }),
        delivery({ outboxEntry: 2, step: 1, reason: 'quiet hours of office' }),
      ],
    })
    await storeAlarms(storage, [{ ...alarm(1), details: [detail, detail, detail] }])

    assert.deepEqual(idsOf(await outbox.list(10)), [3])
    const [quiet, sms, mail] = await listAll(storage)
    assert.deepEqual(mail, {
      id: 1,
      kind: 'alarm',
      alarm: 1,
      step: 0,
      structure: 1,
      channel: 'mail',
      rules: ['office', '值班'],
      state: 'waiting',
      attempts: 0,
      createdAt: 1000,
      nextAt: 1000,
      lastError: null,
      reason: null,
      deliveredAt: null,
    })
    assert.deepEqual([sms!.channel, sms!.state], ['sms', 'waiting'])
    assert.deepEqual([quiet!.state, quiet!.reason], ['suppressed', 'quiet hours of office'])
    assert.deepEqual(await dueIds(storage, 1000), [1])
  })

  test('a fan-out with a missing outbox entry stores nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox } = storage
    await storeAlarms(storage, [{ ...alarm(1), details: [detail] }])
    const reminders = [{ alarm: 1, channel: 'mail', at: 1, isFirst: false }]

    const plan = {
      ...NOTHING,
      entries: [1, 2],
      deliveries: [delivery({ outboxEntry: 1 })],
      reminders,
    }
    await assert.rejects(outbox.fanOut(plan))

    assert.deepEqual(idsOf(await outbox.list(10)), [1])
    assert.deepEqual(await listAll(storage), [])
    assert.deepEqual(await outbox.listDueReminders(10, 10), [])
  })

  test('reminders are due at their time with their alarm; a first one does not change an existing one', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox } = storage
    await storeAlarms(storage, [{ ...alarm(1), details: [] }])
    const set = (of: number, at: number, isFirst: boolean, channel = 'mail') =>
      outbox.fanOut({ ...NOTHING, reminders: [{ alarm: of, channel, at, isFirst }] })

    await set(1, 3000, true)
    await set(1, 2000, true)
    await set(2, 2500, true)
    await set(2, 4000, false)
    await set(1, 5000, false, 'sms')
    await deliver(storage, { channel: 'sms' })

    assert.deepEqual(await outbox.listDueReminders(2999, 10), [])
    assert.deepEqual(await outbox.listDueReminders(9000, 2), [
      { alarm: 1, channel: 'mail', at: 3000, stored: alarm(1), isWaiting: false },
      { alarm: 2, channel: 'mail', at: 4000, stored: undefined, isWaiting: false },
    ])
    const [, , sms] = await outbox.listDueReminders(9000, 3)
    assert.deepEqual([sms!.channel, sms!.isWaiting], ['sms', true])
  })

  test('a reminder and its next time are stored together; a reminder that was sent already is refused', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { outbox } = storage
    const due = { alarm: 1, channel: 'mail', at: 3000 }
    await outbox.fanOut({ ...NOTHING, reminders: [{ ...due, isFirst: true }] })

    await outbox.remind(due, 6000, delivery({ kind: 'reminder', step: null }))
    await assert.rejects(outbox.remind(due, 6000, delivery({ kind: 'reminder' })))
    await assert.rejects(outbox.remind(due, null))

    assert.deepEqual(
      (await listAll(storage)).map(({ kind, step }) => [kind, step]),
      [['reminder', null]],
    )
    assert.deepEqual(await outbox.listDueReminders(5999, 10), [])
    await outbox.remind({ ...due, at: 6000 }, null)
    assert.deepEqual(await outbox.listDueReminders(9000, 10), [])
  })

  test('the end of an alarm deletes its reminders on every channel', async () => {
    await using place = await newPlace()
    const { outbox } = await place.open()
    const reminders = [
      { alarm: 1, channel: 'mail', at: 1, isFirst: true },
      { alarm: 1, channel: 'sms', at: 1, isFirst: true },
      { alarm: 2, channel: 'mail', at: 1, isFirst: true },
    ]
    await outbox.fanOut({ ...NOTHING, reminders })

    await outbox.fanOut({ ...NOTHING, endedAlarms: [1] })

    const left = await outbox.listDueReminders(1, 10)
    assert.deepEqual(
      left.map((one) => one.alarm),
      [2],
    )
  })
}
