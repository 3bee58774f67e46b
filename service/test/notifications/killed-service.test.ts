import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { startChild } from '../_child.ts'
import { SITE } from '../_site.ts'
import { alarm, addAlarm } from './_alarms.ts'
import { WebhookReceiver } from './_webhook.ts'
import { RULE } from './_service.ts'

/** Settings as a process of its own gets them. */
const environment = (receiver: WebhookReceiver, more: Record<string, string> = {}) => ({
  PLUMBLINE_NOTIFICATIONS_WEBHOOKS: JSON.stringify([receiver.settings]),
  PLUMBLINE_NOTIFICATIONS_RULES: JSON.stringify([RULE]),
  PLUMBLINE_NOTIFICATIONS_RETRY_FIRST_SECONDS: '0.1',
  ...more,
})

describe('a killed service', () => {
  test('between the receiver’s response and its own commit sends the message again with the same id', async () => {
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
      await addAlarm(storage, alarm(1))
      await eventually(() => assert.equal(receiver.posts.length, 1))
      await service.kill()
    }
    await using _ = await startChild(folder, environment(receiver))
    await eventually(async () => {
      const [sent] = await storage.deliveries.list({ limit: 10 })
      assert.equal(sent!.state, 'delivered')
    })

    assert.deepEqual(receiver.ids, ['alarm-1-0', 'alarm-1-0'])
    assert.equal(new Set(receiver.posts.map(({ body }) => body)).size, 1)
  })

  test('amid sixty alarms delivers all of them after a restart', async () => {
    await using receiver = await WebhookReceiver.start()
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-notifications-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const storage = stack.use(await openSqlite(folder))
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    const all = Array.from({ length: 60 }, (_, at) => at + 1)
    for (const id of all) await addAlarm(storage, alarm(id))
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
