import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { alarm, addAlarm } from '../notifications/_alarms.ts'
import { WebhookReceiver } from '../notifications/_webhook.ts'

const call = async (service: TestService, path: string, body?: unknown, userId = 1, post = false) =>
  service.call(`/manage/v1${path}`, {
    method: body === undefined && !post ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${await service.issueToken(userId)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })

const post = (service: TestService, path: string, userId = 1) =>
  call(service, path, undefined, userId, true)

const NOW = Date.UTC(2026, 2, 1, 8)
const WINDOW = { startsAt: NOW - 1000, endsAt: NOW + 3_600_000, reason: '换缆' }

const withWindows = () => withService({ site: SITE, now: () => NOW })

/** Two channels of which one is down, and an alarm for both. */
async function withDeliveries(
  receiver: WebhookReceiver,
  {
    settings = {},
    now = Date.now,
    ...clock
  }: {
    settings?: object
    now?: () => number
    monotonic?: () => number
    clockMilliseconds?: number
  } = {},
): Promise<TestService> {
  const away = { ...receiver.settings, name: 'away', url: 'https://localhost:9/' }
  await using stack = new AsyncDisposableStack()
  const service = stack.use(
    await withService({
      site: SITE,
      deliveryPollMilliseconds: 20,
      now,
      ...clock,
      settings: {
        'notifications.webhooks': [receiver.settings, away],
        'notifications.rules': [{ name: 'all', to: ['hook', 'away'] }],
        ...settings,
      },
    }),
  )
  await addAlarm(service.storage, alarm(1), undefined, { now: now() })
  await eventually(async () => {
    const list = await service.storage.deliveries.list({ limit: 10 })
    assert.deepEqual(
      list.map(({ attempts }) => attempts),
      [1, 1],
    )
  })
  stack.move()
  return service
}

describe('listDeliveries', () => {
  test('gives the newest first, by channel, state and alarm, and how channels are doing', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withDeliveries(receiver)

    const all = (await call(service, '/deliveries')).json()
    const waiting = (await call(service, '/deliveries?state=waiting')).json().deliveries
    const ofHook = (await call(service, '/deliveries?channel=hook&alarmId=1')).json().deliveries
    const page = (await call(service, '/deliveries?limit=1&before=2')).json().deliveries

    assert.deepEqual(
      all.deliveries.map(({ id, alarm: of, channel, state }: any) => [id, of, channel, state]),
      [
        [2, 1, 'away', 'waiting'],
        [1, 1, 'hook', 'delivered'],
      ],
    )
    assert.deepEqual(waiting, [all.deliveries[0]])
    assert.deepEqual(ofHook, [all.deliveries[1]])
    assert.deepEqual(page, [all.deliveries[1]])
    assert.deepEqual((await call(service, '/deliveries?alarmId=18')).json().deliveries, [])
    const [away, hook] = all.channels
    assert.deepEqual(
      { ...away, waitingSince: typeof away.waitingSince },
      { channel: 'away', isConfigured: true, waiting: 1, waitingSince: 'number', givenUp: 0 },
    )
    assert.deepEqual([hook.channel, hook.waiting, hook.waitingSince], ['hook', 0, null])
  })

  test('and the other operations of notifications need access to all structures', async () => {
    await using service = await withWindows()

    for (const path of ['/deliveries', '/maintenance'])
      assert.equal((await call(service, path, undefined, 2)).status, 403, path)
    assert.equal((await call(service, '/maintenance', WINDOW, 2)).status, 403)
    for (const path of ['/maintenance/1/end', '/channels/hook/test'])
      assert.equal((await post(service, path, 2)).status, 403, path)
  })
})

describe('addMaintenance', () => {
  test('returns the window, and it is listed', async () => {
    await using service = await withWindows()

    const added = await call(service, '/maintenance', { ...WINDOW, structures: [1] })

    assert.equal(added.status, 200)
    assert.deepEqual(added.json(), {
      id: 1,
      structures: [1],
      stations: [],
      ...WINDOW,
      createdAt: NOW,
      endedAt: null,
    })
    assert.deepEqual((await call(service, '/maintenance')).json(), { windows: [added.json()] })
  })

  test('refuses what does not exist, and an end before the start', async () => {
    await using service = await withWindows()

    for (const [parts, status, words] of [
      [{ structures: [99] }, 404, 'There is no structure 99.'],
      [{ stations: [99] }, 404, 'There is no station 99.'],
      [{ endsAt: WINDOW.startsAt - 1 }, 400, '"endsAt" must not be before "startsAt"'],
      [{ reason: '' }, 400, '"reason"'],
    ] as const) {
      const response = await call(service, '/maintenance', { ...WINDOW, ...parts })
      assert.equal(response.status, status)
      assert.ok(response.json().message.includes(words), response.text)
    }
    assert.deepEqual((await call(service, '/maintenance?all')).json(), { windows: [] })
  })
})

describe('listMaintenance', () => {
  test('lists those that have not ended, and all on demand', async () => {
    await using service = await withWindows()
    await call(service, '/maintenance', { ...WINDOW, endsAt: NOW - 1 })
    await call(service, '/maintenance', WINDOW)
    await call(service, '/maintenance', { ...WINDOW, startsAt: NOW + 1000 })

    const idsOf = async (path: string) =>
      (await call(service, path)).json().windows.map(({ id }: any) => id)

    assert.deepEqual(await idsOf('/maintenance'), [3, 2])
    assert.deepEqual(await idsOf('/maintenance?all'), [3, 2, 1])
    assert.deepEqual(await idsOf('/maintenance?limit=1'), [3])
  })
})

describe('endMaintenance', () => {
  test('ends a window once, and keeps it in the list', async () => {
    await using service = await withWindows()
    await call(service, '/maintenance', WINDOW)

    const statuses = [
      (await post(service, '/maintenance/1/end')).status,
      (await post(service, '/maintenance/1/end')).status,
      (await post(service, '/maintenance/2/end')).status,
    ]

    assert.deepEqual(statuses, [204, 404, 404])
    const [window] = (await call(service, '/maintenance?all')).json().windows
    assert.deepEqual([window.endsAt, window.endedAt], [NOW - 1, NOW])
  })
})

describe('sendTestMessage', () => {
  test('sends one at once and returns the outcome', async () => {
    await using receiver = await WebhookReceiver.start()
    await using service = await withDeliveries(receiver)

    const good = await post(service, '/channels/hook/test')
    const bad = await post(service, '/channels/away/test')
    const none = await post(service, '/channels/nobody/test')

    assert.deepEqual(good.json(), { delivered: true, message: 'The test message was delivered.' })
    const message = JSON.parse(receiver.posts.at(-1)!.body)
    assert.deepEqual([message.kind, message.channel], ['test', 'hook'])
    assert.match(message.id, /^test-[0-9a-f-]{36}$/)
    assert.equal(bad.json().delivered, false)
    assert.match(
      bad.json().message,
      /not delivered: the receiver cannot be reached: ECONNREFUSED\.$/,
    )
    assert.equal(none.status, 404)
    assert.equal(none.json().message, 'There is no channel of this name; configured: hook, away.')
  })
})

describe('health and metrics', () => {
  test('count waiting and given-up deliveries of each channel', async () => {
    await using receiver = await WebhookReceiver.start()
    const port = await freePort()
    let now = Date.now()
    await using service = await withDeliveries(receiver, {
      settings: { 'ops.port': port },
      now: () => now,
      monotonic: () => now,
      clockMilliseconds: 20,
    })
    const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    const hook = { channel: 'hook', isConfigured: true, waiting: 0, waitingSince: null, givenUp: 0 }
    const away = { ...hook, channel: 'away' }
    const waitingSince = now
    await eventually(async () => {
      const { channels } = JSON.parse(await getText('/health/notifications'))
      assert.deepEqual(channels, [{ ...away, waiting: 1, waitingSince }, hook])
    })

    await eventually(async () => {
      // Each time the next try is due; in the end the term is over, by a clock that is believed.
      now += 4 * 3_600_000
      const [away] = await service.storage.deliveries.list({ channel: 'away', limit: 1 })
      assert.equal(away!.state, 'givenUp')
    })
    const last = JSON.parse(await getText('/health/notifications'))
    const metrics = await getText('/metrics')

    assert.deepEqual(last.channels, [{ ...away, givenUp: 1 }, hook])
    assert.match(metrics, /plumbline_notification_deliveries\{channel="away",state="givenUp"\} 1\n/)
    assert.match(metrics, /plumbline_notification_deliveries\{channel="hook",state="waiting"\} 0\n/)
    // By its own failure, or together with others after that.
    assert.match(service.logged.join(''), /"level":50.*away: (delivery \d+|1 delivery) is given up/)
  })
})
