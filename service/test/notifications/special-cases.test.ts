import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { UncheckedSettings } from '../../src/config/config.ts'
import { eventually } from '../_eventually.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { alarm, addAlarm, step } from './_alarms.ts'
import { WebhookReceiver } from './_webhook.ts'

const HOUR = 3_600_000
const RULE = { name: 'office', to: ['hook'] }

const start = (
  receiver: WebhookReceiver,
  {
    settings = {},
    ...options
  }: { settings?: UncheckedSettings; now?: () => number; folder?: string } = {},
) =>
  withService({
    site: SITE,
    deliveryPollMilliseconds: 20,
    ...options,
    settings: {
      'notifications.webhooks': [{ ...receiver.settings, timeoutSeconds: 1 }],
      'notifications.rules': [RULE],
      'notifications.retryFirstSeconds': 0.05,
      'notifications.retryMaxMinutes': 0.01,
      ...settings,
    },
  })

const deliveries = ({ storage }: TestService) => storage.deliveries.list({ limit: 100 })

async function newest(service: TestService) {
  const [delivery] = await deliveries(service)
  assert.ok(delivery !== undefined)
  return delivery
}

async function withFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-edges-'))
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Writes for as long as the socket accepts it. */
const forEver = (head: string, text: string) => (socket: Socket) => {
  socket.write(head)
  const write = (): void => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', write).on('error', () => {})
  write()
}

describe('a reminder', () => {
  test('that is due in maintenance comes within a minute after the window ends early', async () => {
    await using receiver = await WebhookReceiver.start()
    let now = Date.now()
    await using service = await start(receiver, {
      now: () => now,
      // A device that falls silent when the clock is put on is none of this.
      settings: { 'notifications.rules': [{ ...RULE, types: [1], reminderEvery: 3600 }] },
    })
    await addAlarm(service.storage, alarm(1), undefined, { now })
    await eventually(() => assert.equal(receiver.posts.length, 1))
    const { maintenance, outbox } = service.storage
    const work = { structures: [1], stations: [], reason: 'cables', createdAt: now }
    const id = await maintenance.add({ ...work, startsAt: now + 1, endsAt: now + 9 * HOUR })
    const [first] = await outbox.listDueReminders(Infinity, 1)
    now += HOUR
    await eventually(async () => {
      const [put] = await outbox.listDueReminders(Infinity, 1)
      assert.ok(put!.at > first!.at)
    })

    await maintenance.end(id, now)
    now += 60_000

    await eventually(() => assert.deepEqual(receiver.ids.length, 2))
    assert.match(receiver.ids[1]!, /^alarm-1-reminder-/)
  })
})

describe('a rule that gets reminders later', () => {
  test('reminds of alarms that are open already, but not of late or ended ones', async () => {
    await using receiver = await WebhookReceiver.start()
    await using place = await withFolder()
    const { folder } = place
    let now = Date.now()
    {
      await using service = await start(receiver, { folder, now: () => now })
      await addAlarm(service.storage, alarm(1), undefined, { now })
      await addAlarm(service.storage, alarm(2), undefined, { now, isLate: true })
      await addAlarm(service.storage, alarm(3), undefined, { now })
      const ended = step({ alarmState: 3 })
      await addAlarm(service.storage, alarm(3, { state: 3 }), [step(), ended], { now })
      await eventually(async () => assert.deepEqual(await service.storage.outbox.list(1), []))
      await eventually(() => assert.ok(receiver.ids.includes('alarm-3-1')))
    }
    const before = receiver.ids.length

    await using service = await start(receiver, {
      folder,
      now: () => now,
      settings: { 'notifications.rules': [{ ...RULE, types: [1], reminderEvery: 3600 }] },
    })
    await eventually(async () =>
      assert.equal((await service.storage.outbox.listDueReminders(Infinity, 9)).length, 1),
    )
    assert.equal(receiver.ids.length, before)
    now += HOUR

    await eventually(() => assert.equal(receiver.ids.length, before + 1))
    assert.match(receiver.ids.at(-1)!, /^alarm-1-reminder-/)
  })
})

describe('settings that change while messages wait', () => {
  test('deliveries of a renamed channel wait until a channel has the old name again', async () => {
    await using receiver = await WebhookReceiver.start()
    await using place = await withFolder()
    const { folder } = place
    await receiver.close()
    {
      await using service = await start(receiver, { folder })
      await addAlarm(service.storage, alarm(1))
      await eventually(async () => assert.ok((await newest(service)).attempts > 0))
    }
    await receiver.listen()
    const opsPort = await freePort()
    const renamed = { ...receiver.settings, name: 'new-hook' }
    {
      await using service = await start(receiver, {
        folder,
        settings: {
          'ops.port': opsPort,
          'notifications.webhooks': [renamed],
          'notifications.rules': [{ ...RULE, to: ['new-hook'] }],
        },
      })
      await eventually(async () => {
        const { lastError, state } = await newest(service)
        assert.equal(lastError, 'the settings have no channel of this name')
        assert.equal(state, 'waiting')
      })
      const health = await fetch(`http://127.0.0.1:${opsPort}/health/notifications`)
      const { channels } = (await health.json()) as { channels: any[] }
      assert.deepEqual(
        channels.map(({ channel, isConfigured, waiting }) => [channel, isConfigured, waiting]),
        [
          ['hook', false, 1],
          ['new-hook', true, 0],
        ],
      )
      assert.deepEqual(receiver.posts, [])
    }

    await using service = await start(receiver, { folder })

    await eventually(async () => assert.equal((await newest(service)).state, 'delivered'))
    assert.deepEqual(receiver.ids, ['alarm-1-0'])
  })

  test('removing a rule ends its reminders and keeps its waiting deliveries', async () => {
    await using receiver = await WebhookReceiver.start()
    await using place = await withFolder()
    const { folder } = place
    await receiver.close()
    let now = Date.now()
    {
      await using service = await start(receiver, {
        folder,
        now: () => now,
        settings: { 'notifications.rules': [{ ...RULE, reminderEvery: 3600 }] },
      })
      await addAlarm(service.storage, alarm(1), undefined, { now })
      await eventually(async () => assert.ok((await newest(service)).attempts > 0))
    }
    await receiver.listen()
    now += 2 * HOUR

    await using service = await start(receiver, {
      folder,
      now: () => now,
      settings: { 'notifications.rules': [{ name: 'other', to: ['hook'], levels: [9] }] },
    })

    await eventually(async () => assert.equal((await newest(service)).state, 'delivered'))
    await eventually(async () =>
      assert.deepEqual(await service.storage.outbox.listDueReminders(Infinity, 1), []),
    )
    assert.deepEqual(receiver.ids, ['alarm-1-0'])
  })
})

describe('a receiver with unexpected responses', () => {
  test('status 410, 404, 101, 999 or no HTTP: the delivery is retried and succeeds', async () => {
    await using receiver = await WebhookReceiver.start()
    receiver.replies = [
      { status: 410 },
      { status: 404 },
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'),
      (socket) => socket.write('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'),
      (socket) => socket.write('220 mail.example ESMTP\r\n'),
      { status: 200 },
    ]
    await using service = await start(receiver)

    await addAlarm(service.storage, alarm(1))

    await eventually(async () => assert.equal((await newest(service)).state, 'delivered'))
    assert.equal((await newest(service)).attempts, 6)
  })

  test('a Retry-After that is past, malformed or too long: the pause is that of the settings', async () => {
    const longest = 3_600_000
    for (const [wish, pause] of [
      ['Wed, 21 Oct 2015 07:28:00 GMT', 50],
      ['-5', 50],
      ['soon', 50],
      ['99999999999999999999', longest],
      ['Fri, 31 Dec 9999 23:59:59 GMT', longest],
    ] as const) {
      await using receiver = await WebhookReceiver.start()
      receiver.replies = [{ status: 429, headers: { 'retry-after': wish } }]
      const now = Date.now()
      await using service = await start(receiver, {
        now: () => now,
        settings: { 'notifications.retryMaxMinutes': 60 },
      })

      await addAlarm(service.storage, alarm(1), undefined, { now })

      await eventually(async () => assert.equal((await newest(service)).attempts, 1))
      const waits = (await newest(service)).nextAt - now
      assert.ok(waits <= pause && waits >= pause / 2, `${wish}: ${waits}`)
    }
  })

  test('headers, interim responses or a body without end: the request is aborted', async () => {
    const line = `X-More: ${'x'.repeat(1000)}\r\n`
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)
    for (const [reply, error] of [
      [forEver('HTTP/1.1 200 OK\r\n', line), /HPE_HEADER_OVERFLOW/],
      [forEver('', interim), /no response within 1 seconds/],
      [forEver('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(100_000)), undefined],
    ] as const) {
      await using receiver = await WebhookReceiver.start()
      receiver.replies = [reply, { status: 200 }]
      await using service = await start(receiver)

      await addAlarm(service.storage, alarm(1))

      await eventually(async () => assert.equal((await newest(service)).state, 'delivered'))
      const { attempts } = await newest(service)
      assert.equal(attempts, error === undefined ? 1 : 2)
      if (error !== undefined) assert.match(service.logged.join(''), error)
    }
  })
})
