import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { alarm, step, addAlarm } from './_alarms.ts'
import { WebhookReceiver } from './_webhook.ts'
import { states, withNotifications } from './_service.ts'

describe('suppressed notifications', () => {
  test('quiet hours: a notification is suppressed with its reason, and a reminder follows them', async () => {
    await using receiver = await WebhookReceiver.start()
    // 23:30 on the bridge's clock.
    let now = Date.parse('2026-03-01T23:30:00+08:00')
    await using service = await withNotifications(receiver, {
      now: () => now,
      rule: {
        quietHours: [{ from: '22:00', to: '06:00', exceptLevels: [1] }],
        reminderEvery: 3600,
      },
    })

    await addAlarm(service.storage, alarm(1), undefined, { now })
    await eventually(async () =>
      assert.deepEqual(await states(service), [
        { state: 'suppressed', attempts: 0, reason: 'quiet hours of office' },
      ]),
    )
    await addAlarm(service.storage, alarm(2, { level: 1 }), [step({ currentLevel: 1 })], {
      now,
    })
    await eventually(() => assert.deepEqual(receiver.ids, ['alarm-2-0']))
    // There is no reminder before its delivery is stored as delivered.
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))
    now = Date.parse('2026-03-02T05:59:59+08:00')
    await eventually(() => assert.equal(receiver.posts.length, 2))
    now = Date.parse('2026-03-02T06:00:00+08:00')

    await eventually(() => assert.equal(receiver.posts.length, 3))
    const sent = receiver.posts.map(({ body }) => JSON.parse(body) as any)
    assert.deepEqual(
      sent.map(({ kind, alarm: { id } }) => [kind, id]),
      [
        ['alarm', 2],
        ['reminder', 2],
        ['reminder', 1],
      ],
    )
  })

  test('maintenance: alarms of its stations are suppressed until the window ends', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver)
    const { maintenance } = service.storage
    const now = Date.now()
    const id = await maintenance.add({
      structures: [],
      stations: [1003],
      startsAt: now - 1000,
      endsAt: now + 3_600_000,
      reason: 'new cables',
      createdAt: now,
    })
    const wire = { id: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01', name: 'VW-01' }

    // The station and its only sensor are suppressed; another station is not.
    await addAlarm(service.storage, alarm(1, { source: { id: '1003', name: 'x' } }))
    await addAlarm(service.storage, alarm(2, { source: wire, sourceType: 1, category: 3 }))
    await addAlarm(service.storage, alarm(3))
    await eventually(async () => assert.equal((await states(service)).length, 3))
    await eventually(() => assert.deepEqual(receiver.ids, ['alarm-3-0']))
    await maintenance.end(id, Date.now())
    await new Promise((resolve) => setTimeout(resolve, 5))
    await addAlarm(service.storage, alarm(4, { source: { id: '1003', name: 'x' } }))

    await eventually(() => assert.deepEqual(receiver.ids, ['alarm-3-0', 'alarm-4-0']))
    const suppressed = await service.storage.deliveries.list({ state: 'suppressed', limit: 10 })
    assert.deepEqual(
      suppressed.map((one) => [one.alarm, one.reason]),
      [
        [2, `maintenance ${id}: new cables`],
        [1, `maintenance ${id}: new cables`],
      ],
    )
  })

  test('lateness: an alarm of a late record is suppressed', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver)

    await addAlarm(service.storage, alarm(1), undefined, { isLate: true })
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'suppressed'))

    assert.match((await states(service))[0]!.reason!, /^late: /)
    assert.deepEqual(receiver.posts, [])
  })

  test('the flood guard: a summary replaces the messages beyond the limit', async () => {
    await using receiver = await WebhookReceiver.start()
    let now = Date.now()
    await using service = await withNotifications(receiver, {
      now: () => now,
      settings: { 'notifications.floodMessages': 3, 'notifications.floodMinutes': 10 },
    })
    const ids = [1, 2, 3, 4, 5, 6, 7]

    for (const id of ids) await addAlarm(service.storage, alarm(id), undefined, { now })
    await eventually(async () => {
      const held = (await states(service)).filter(({ state }) => state === 'suppressed')
      assert.equal(held.length, 4)
      for (const { reason } of held)
        assert.equal(reason, 'flood guard: 3 messages within 600 seconds')
    })
    now += 600_000
    await eventually(() => assert.equal(receiver.posts.length, 4))

    const { id: _, ...summary } = JSON.parse(receiver.posts.at(-1)!.body)
    assert.deepEqual(summary, { kind: 'summary', channel: 'hook', heldBack: 4, seconds: 600 })
  })
})
