import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import type { UncheckedSettings } from '../../src/config/config.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { startChild } from '../_child.ts'
import { withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { alarm, step, tell } from './_alarms.ts'
import { isSigned, SECRET, WebhookReceiver } from './_webhook.ts'

const RULE = { name: 'office', to: ['hook'] }

const withNotifications = (
  receiver: WebhookReceiver,
  {
    rule = {},
    settings = {},
    now,
  }: { rule?: object; settings?: UncheckedSettings; now?: () => number } = {},
) =>
  withService({
    site: SITE,
    deliveryPollMilliseconds: 20,
    ...(now === undefined ? {} : { now }),
    settings: {
      'notifications.webhooks': [receiver.settings],
      'notifications.rules': [{ ...RULE, ...rule }],
      'notifications.retryFirstSeconds': 0.05,
      'notifications.retryMaxMinutes': 0.01,
      ...settings,
    },
  })

/** Settings as a process of its own gets them. */
const environment = (receiver: WebhookReceiver, more: Record<string, string> = {}) => ({
  PLUMBLINE_NOTIFICATIONS_WEBHOOKS: JSON.stringify([receiver.settings]),
  PLUMBLINE_NOTIFICATIONS_RULES: JSON.stringify([RULE]),
  PLUMBLINE_NOTIFICATIONS_RETRY_FIRST_SECONDS: '0.1',
  ...more,
})

const states = async (service: Awaited<ReturnType<typeof withNotifications>>) =>
  (await service.storage.deliveries.list({ limit: 100 })).map(({ state, attempts, reason }) => ({
    state,
    attempts,
    reason,
  }))

describe('a webhook', () => {
  test('is told of an alarm once, signed, with all that a receiver needs', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver)

    await tell(service.storage, alarm(17, { alarmTypeCode: '3007' }))
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))

    assert.equal(receiver.posts.length, 1)
    const [post] = receiver.posts
    assert.equal(post!.path, '/hook/sec-in-path')
    assert.equal(post!.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(post!.headers['plumbline-message'], 'alarm-17-0')
    assert.equal(isSigned(post!, SECRET, Date.now()), true)
    assert.equal(isSigned({ ...post!, body: `${post!.body} ` }, SECRET, Date.now()), false)
    assert.deepEqual(JSON.parse(post!.body), {
      id: 'alarm-17-0',
      kind: 'alarm',
      event: 'new',
      rules: ['office'],
      alarm: {
        id: 17,
        structure: { id: 1, name: '长江大桥' },
        source: { id: '1001', name: '应变-01' },
        sourceType: 2,
        type: 1,
        alarmTypeCode: '3007',
        alarmCode: '30070002',
        level: 2,
        state: 0,
        count: 1,
        content: '应变: 301µε, level 2 threshold [200,300]',
        startTime: '2026-03-01 08:00:00',
        endTime: '2026-03-01 08:00:00',
        time: '2026-03-01 08:00:00',
      },
    })
  })

  test('hears of every step of an alarm by the same id of the alarm', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver, {
      rule: { events: ['new', 'repeated', 'escalated', 'cleared', 'confirmed'] },
    })
    const steps = [0, 1, 2, 3].map((state) => step({ alarmState: state as 0 }))

    for (const state of [0, 1, 2, 3])
      await tell(service.storage, alarm(7, { state }), steps.slice(0, state + 1))
    await eventually(() => assert.equal(receiver.posts.length, 4))

    const told = receiver.posts.map(({ body }) => JSON.parse(body) as any)
    assert.deepEqual(
      told.map(({ id, event, alarm: { id: of } }) => [id, event, of]),
      [
        ['alarm-7-0', 'new', 7],
        ['alarm-7-1', 'repeated', 7],
        ['alarm-7-2', 'escalated', 7],
        ['alarm-7-3', 'cleared', 7],
      ],
    )
  })

  test('that answers 5xx, 429 or 4xx is tried again with the same message until it takes it', async () => {
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

    await tell(service.storage, alarm(1))
    await eventually(async () =>
      assert.deepEqual(await states(service), [{ state: 'delivered', attempts: 6, reason: null }]),
    )

    assert.deepEqual([...new Set(receiver.ids)], ['alarm-1-0'])
    assert.deepEqual([...new Set(receiver.posts.map(({ path }) => path))], ['/hook/sec-in-path'])
    assert.equal(new Set(receiver.posts.map(({ body }) => body)).size, 1)
    const [told] = await service.storage.deliveries.list({ limit: 1 })
    assert.equal(told!.lastError, 'the receiver answered 302, and redirects are not followed')
  })

  test('that asks for time gets it', async () => {
    await using receiver = await WebhookReceiver.start()
    receiver.replies = [{ status: 429, headers: { 'retry-after': '3600' } }]
    let now = Date.now()
    await using service = await withNotifications(receiver, {
      now: () => now,
      // It is heard up to the longest pause.
      settings: { 'notifications.retryMaxMinutes': 60 },
    })

    await tell(service.storage, alarm(1), undefined, { createdAt: now })
    await eventually(async () => assert.equal((await states(service))[0]?.attempts, 1))
    const [waiting] = await service.storage.deliveries.list({ limit: 1 })
    assert.equal(waiting!.nextAt - now, 3_600_000)
    receiver.replies = [{ status: 200 }]
    now += 3_600_000

    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))
    assert.equal(receiver.posts.length, 2)
  })

  test('that is away for a while is told when it is back, of everything', async () => {
    await using receiver = await WebhookReceiver.start()
    await receiver.close()
    await using service = await withNotifications(receiver)

    for (const id of [1, 2, 3]) await tell(service.storage, alarm(id))
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

  test('that never answers is let go after its time, and its message waits', async () => {
    await using receiver = await WebhookReceiver.start()
    receiver.replies = ['nothing', { status: 200 }]
    await using service = await withNotifications(receiver, {
      settings: { 'notifications.webhooks': [{ ...receiver.settings, timeoutSeconds: 1 }] },
    })

    await tell(service.storage, alarm(1))
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))

    const [told] = await service.storage.deliveries.list({ limit: 1 })
    assert.deepEqual([told!.attempts, told!.lastError], [2, 'no answer within 1 seconds'])
  })

  test('whose certificate nobody vouches for gets nothing', async () => {
    await using receiver = await WebhookReceiver.start()
    const { name, url, secret } = receiver.settings as Record<string, string>
    await using service = await withNotifications(receiver, {
      settings: { 'notifications.webhooks': [{ name, url, secret }] },
    })

    await tell(service.storage, alarm(1))
    await eventually(async () => assert.ok((await states(service))[0]!.attempts > 0))

    assert.deepEqual(receiver.posts, [])
    const [told] = await service.storage.deliveries.list({ limit: 1 })
    assert.match(told!.lastError!, /DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY/)
  })

  test('at a private address gets nothing where settings refuse those, by name or by number', async () => {
    await using receiver = await WebhookReceiver.start()
    for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) {
      const url = `https://${host}:${receiver.port}/`
      await using service = await withNotifications(receiver, {
        settings: {
          'notifications.webhooks': [{ ...receiver.settings, url }],
          'notifications.allowPrivateAddresses': 'refuse',
        },
      })

      await tell(service.storage, alarm(1))
      await eventually(async () => assert.ok((await states(service))[0]!.attempts > 0))

      const [told] = await service.storage.deliveries.list({ limit: 1 })
      assert.match(told!.lastError!, /the address is private/, host)
    }
    assert.deepEqual(receiver.posts, [])
  })
})

describe('what suppresses notifications', () => {
  test('quiet hours: nothing is sent in them, and it is written down; a reminder comes after them', async () => {
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

    await tell(service.storage, alarm(1), undefined, { createdAt: now })
    await eventually(async () =>
      assert.deepEqual(await states(service), [
        { state: 'suppressed', attempts: 0, reason: 'quiet hours of office' },
      ]),
    )
    await tell(service.storage, alarm(2, { level: 1 }), [step({ currentLevel: 1 })], {
      createdAt: now,
    })
    await eventually(() => assert.deepEqual(receiver.ids, ['alarm-2-0']))
    // While it is not written down that it was told, nothing reminds of it.
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'delivered'))
    now = Date.parse('2026-03-02T05:59:59+08:00')
    await eventually(() => assert.equal(receiver.posts.length, 2))
    now = Date.parse('2026-03-02T06:00:00+08:00')

    await eventually(() => assert.equal(receiver.posts.length, 3))
    const told = receiver.posts.map(({ body }) => JSON.parse(body) as any)
    assert.deepEqual(
      told.map(({ kind, alarm: { id } }) => [kind, id]),
      [
        ['alarm', 2],
        ['reminder', 2],
        ['reminder', 1],
      ],
    )
  })

  test('maintenance: of the stations it names, until it is ended', async () => {
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

    // The station, and the sensor that feeds it alone; another station is told.
    await tell(service.storage, alarm(1, { source: { id: '1003', name: 'x' } }))
    await tell(service.storage, alarm(2, { source: wire, sourceType: 1, category: 3 }))
    await tell(service.storage, alarm(3))
    await eventually(async () => assert.equal((await states(service)).length, 3))
    await eventually(() => assert.deepEqual(receiver.ids, ['alarm-3-0']))
    await maintenance.end(id, Date.now())
    await new Promise((resolve) => setTimeout(resolve, 5))
    await tell(service.storage, alarm(4, { source: { id: '1003', name: 'x' } }))

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

  test('lateness: a record of the past tells nobody', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withNotifications(receiver)

    await tell(service.storage, alarm(1), undefined, { isLate: true })
    await eventually(async () => assert.equal((await states(service))[0]?.state, 'suppressed'))

    assert.match((await states(service))[0]!.reason!, /^late: /)
    assert.deepEqual(receiver.posts, [])
  })

  test('the flood guard: so many messages, and then one that counts the others', async () => {
    await using receiver = await WebhookReceiver.start()
    let now = Date.now()
    await using service = await withNotifications(receiver, {
      now: () => now,
      settings: { 'notifications.floodMessages': 3, 'notifications.floodMinutes': 10 },
    })
    const ids = [1, 2, 3, 4, 5, 6, 7]

    for (const id of ids) await tell(service.storage, alarm(id), undefined, { createdAt: now })
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

describe('a service that dies', () => {
  test('between the receiver’s answer and its own commit tells again, by the same id', async () => {
    await using receiver = await WebhookReceiver.start()
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-notifications-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const storage = stack.use(await openSqlite(folder))
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    // It has the message, and the service never gets to know.
    receiver.replies = ['nothing', { status: 200 }]

    {
      await using service = await startChild(folder, environment(receiver))
      await tell(storage, alarm(17))
      await eventually(() => assert.equal(receiver.posts.length, 1))
      await service.kill()
    }
    await using _ = await startChild(folder, environment(receiver))
    await eventually(async () => {
      const [told] = await storage.deliveries.list({ limit: 10 })
      assert.equal(told!.state, 'delivered')
    })

    assert.deepEqual(receiver.ids, ['alarm-17-0', 'alarm-17-0'])
    assert.equal(new Set(receiver.posts.map(({ body }) => body)).size, 1)
  })

  test('in the midst of sixty alarms loses none of them', async () => {
    await using receiver = await WebhookReceiver.start()
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-notifications-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const storage = stack.use(await openSqlite(folder))
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    const all = Array.from({ length: 60 }, (_, at) => at + 1)
    for (const id of all) await tell(storage, alarm(id))
    const settings = environment(receiver, { PLUMBLINE_NOTIFICATIONS_FLOOD_MESSAGES: '0' })

    {
      await using service = await startChild(folder, settings)
      await eventually(() => assert.ok(receiver.posts.length >= 20))
      await service.kill()
    }
    await using _ = await startChild(folder, settings)
    await eventually(async () => {
      const waiting = await storage.deliveries.list({ state: 'waiting', limit: 1 })
      assert.deepEqual([waiting.length, (await storage.outbox.list(1)).length], [0, 0])
    })

    assert.deepEqual(new Set(receiver.ids), new Set(all.map((id) => `alarm-${id}-0`)))
    assert.ok(receiver.ids.length <= all.length + 1, `${receiver.ids.length} posts`)
  })
})

test('no secret is in the log, the deliveries or an answer, whatever fails', async () => {
  await using receiver = await WebhookReceiver.start()
  const file = join(receiver.folder, 'secret')
  await writeFile(file, `${SECRET}\n`)
  const { secret: _, ...settings } = receiver.settings as Record<string, string>
  await receiver.close()
  await using service = await withNotifications(receiver, {
    settings: { 'notifications.webhooks': [{ ...settings, secretFile: file }] },
  })

  await tell(service.storage, alarm(1))
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
