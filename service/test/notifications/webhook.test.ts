import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { alarm, step, addAlarm } from './_alarms.ts'
import { isSigned, SECRET, WebhookReceiver } from './_webhook.ts'
import { states, withNotifications } from './_service.ts'

describe('a webhook', () => {
  test('receives one signed message for an alarm', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver)

    await addAlarm(service.storage, alarm(1, { alarmTypeCode: '3007' }))
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))

    assert.equal(receiver.posts.length, 1)
    const [post] = receiver.posts
    assert.equal(post!.path, '/hook/sec-in-path')
    assert.equal(post!.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(post!.headers['plumbline-message'], 'alarm-1-0')
    assert.equal(isSigned(post!, SECRET, Date.now()), true)
    assert.equal(isSigned({ ...post!, body: `${post!.body} ` }, SECRET, Date.now()), false)
    assert.deepEqual(JSON.parse(post!.body), {
      id: 'alarm-1-0',
      kind: 'alarm',
      event: 'new',
      rules: ['office'],
      alarm: {
        id: 1,
        structure: { id: 1, name: '长江大桥', timeZone: 'Asia/Shanghai' },
        source: { id: '1001', name: '应变-01' },
        sourceType: 2,
        type: 1,
        alarmTypeCode: '3007',
        alarmCode: '30070002',
        level: 2,
        state: 0,
        count: 1,
        content: '应变: 301µε, level 2 threshold [200,300]',
        text: '应变: 301 µε, level 2 threshold [200,300]',
        startTime: '2026-03-01 08:00:00',
        endTime: '2026-03-01 08:00:00',
        time: '2026-03-01 08:00:00',
      },
    })
  })

  test('receives each transition of an alarm with the alarm’s id', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver, {
      rule: { events: ['new', 'repeated', 'escalated', 'cleared', 'confirmed'] },
    })
    const steps = [0, 1, 2, 3].map((state) => step({ alarmState: state as 0 }))

    for (const state of [0, 1, 2, 3])
      await addAlarm(service.storage, alarm(1, { state }), steps.slice(0, state + 1))
    await eventually(() => assert.equal(receiver.posts.length, 4))

    const sent = receiver.posts.map(({ body }) => JSON.parse(body) as any)
    assert.deepEqual(
      sent.map(({ id, event, alarm: { id: of } }) => [id, event, of]),
      [
        ['alarm-1-0', 'new', 1],
        ['alarm-1-1', 'repeated', 1],
        ['alarm-1-2', 'escalated', 1],
        ['alarm-1-3', 'cleared', 1],
      ],
    )
  })

  test('that responds 5xx, 429 or 4xx gets the same message again until it accepts it', async () => {
    await using receiver = await WebhookReceiver.start()
    receiver.replies = [
      { status: 503 },
      { status: 429 },
      { status: 404 },
      { status: 422 },
      { status: 302, headers: { location: '/elsewhere' } },
      { status: 204 },
    ]
    await using service = await withNotifications(receiver)

    await addAlarm(service.storage, alarm(1))
    await eventually(async () =>
      assert.deepEqual(await states(service), [{ state: 'delivered', attempts: 6, reason: null }]),
    )

    assert.deepEqual([...new Set(receiver.ids)], ['alarm-1-0'])
    assert.deepEqual([...new Set(receiver.posts.map(({ path }) => path))], ['/hook/sec-in-path'])
    assert.equal(new Set(receiver.posts.map(({ body }) => body)).size, 1)
    const [sent] = await service.storage.deliveries.list({ limit: 1 })
    assert.equal(sent!.lastError, null)
    assert.match(service.logged.join(''), /answered 302, and redirects are not followed; delivery/)
  })

  test('with a Retry-After is retried after that time', async () => {
    await using receiver = await WebhookReceiver.start()
    receiver.replies = [{ status: 429, headers: { 'retry-after': '3600' } }]
    let now = Date.now()
    await using service = await withNotifications(receiver, {
      now: () => now,
      // It is heard up to the longest pause.
      settings: { 'notifications.retryMaxMinutes': 60 },
    })

    await addAlarm(service.storage, alarm(1), undefined, { now })
    await eventually(async () => assert.equal((await states(service))[0]?.attempts, 1))
    const [waiting] = await service.storage.deliveries.list({ limit: 1 })
    assert.equal(waiting!.nextAt - now, 3_600_000)
    receiver.replies = [{ status: 200 }]
    now += 3_600_000

    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))
    assert.equal(receiver.posts.length, 2)
  })

  test('that was down receives every message when it is reachable again', async () => {
    await using receiver = await WebhookReceiver.start()
    await receiver.close()
    await using service = await withNotifications(receiver)

    for (const id of [1, 2, 3]) await addAlarm(service.storage, alarm(id))
    await eventually(async () => {
      const found = await service.storage.deliveries.list({ limit: 10 })
      assert.ok(found.some(({ attempts }) => attempts >= 3))
    })
    const waiting = await service.storage.deliveries.list({ limit: 10, state: 'waiting' })
    await receiver.listen()
    await eventually(() => assert.equal(receiver.ids.length, 3))

    assert.ok(
      waiting.some(({ lastError }) => lastError === 'the receiver cannot be reached: ECONNREFUSED'),
    )
    assert.deepEqual(receiver.ids.toSorted(), ['alarm-1-0', 'alarm-2-0', 'alarm-3-0'])
  })

  test('that does not respond within its timeout is retried', async () => {
    await using receiver = await WebhookReceiver.start()
    receiver.replies = ['nothing', { status: 200 }]
    await using service = await withNotifications(receiver, {
      settings: { 'notifications.webhooks': [{ ...receiver.settings, timeoutSeconds: 1 }] },
    })

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))

    const [sent] = await service.storage.deliveries.list({ limit: 1 })
    assert.deepEqual([sent!.attempts, sent!.lastError], [2, null])
    assert.match(service.logged.join(''), /no response within 1 seconds; delivery/)
  })

  test('with an untrusted certificate gets no request', async () => {
    await using receiver = await WebhookReceiver.start()
    const { name, url, secret } = receiver.settings as Record<string, string>
    await using service = await withNotifications(receiver, {
      settings: { 'notifications.webhooks': [{ name, url, secret }] },
    })

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.ok((await states(service))[0]!.attempts > 0))

    assert.deepEqual(receiver.posts, [])
    const [sent] = await service.storage.deliveries.list({ limit: 1 })
    assert.match(sent!.lastError!, /DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY/)
  })

  test('at a private address gets no request where settings refuse those, by name or by number', async () => {
    await using receiver = await WebhookReceiver.start()
    for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) {
      const url = `https://${host}:${receiver.port}/`
      await using service = await withNotifications(receiver, {
        settings: {
          'notifications.webhooks': [{ ...receiver.settings, url }],
          'notifications.allowPrivateAddresses': 'refuse',
        },
      })

      await addAlarm(service.storage, alarm(1))
      await eventually(async () => assert.ok((await states(service))[0]!.attempts > 0))

      const [sent] = await service.storage.deliveries.list({ limit: 1 })
      assert.match(sent!.lastError!, /the address is private/, host)
    }
    assert.deepEqual(receiver.posts, [])
  })
})

test('the log and the deliveries hold no secret of a webhook after failures', async () => {
  await using receiver = await WebhookReceiver.start()
  const file = join(receiver.folder, 'secret')
  await writeFile(file, `${SECRET}\n`)
  const { secret: _, ...settings } = receiver.settings as Record<string, string>
  await receiver.close()
  await using service = await withNotifications(receiver, {
    settings: { 'notifications.webhooks': [{ ...settings, secretFile: file }] },
  })

  await addAlarm(service.storage, alarm(1))
  await eventually(async () => assert.ok((await states(service))[0]!.attempts > 1))
  await receiver.listen()
  await eventually(() => assert.equal(receiver.posts.length, 1))

  assert.equal(isSigned(receiver.posts[0]!, SECRET, Date.now()), true)
  const seen = JSON.stringify([
    service.logged,
    await service.storage.deliveries.list({ limit: 10 }),
  ])
  for (const text of [SECRET, 'sec-in-path']) assert.ok(!seen.includes(text), text)
})
