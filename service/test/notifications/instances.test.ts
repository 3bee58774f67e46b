import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { SITE } from '../_site.ts'
import { Instances } from '../postgres/_instances.ts'
import { addAlarm, alarm } from './_alarms.ts'
import { RULE } from './_service.ts'
import { WebhookReceiver } from './_webhook.ts'

test('two instances of one database send each notification once, also after one of them is killed', async () => {
  await using receiver = await WebhookReceiver.start()
  await using instances = await Instances.open(SITE)
  const settings = {
    PLUMBLINE_NOTIFICATIONS_WEBHOOKS: JSON.stringify([receiver.settings]),
    PLUMBLINE_NOTIFICATIONS_RULES: JSON.stringify([RULE]),
    PLUMBLINE_NOTIFICATIONS_FLOOD_MESSAGES: '0',
  }
  const first = await instances.start(settings)
  await instances.start(settings)
  const sent = async (count: number): Promise<void> => {
    await eventually(async () => {
      const list = await instances.storage.deliveries.list({ limit: 100 })
      assert.equal(list.filter(({ state }) => state === 'delivered').length, count)
    })
  }

  for (let id = 1; id <= 10; id++) await addAlarm(instances.storage, alarm(id))
  await sent(10)
  await first.kill()
  for (let id = 11; id <= 20; id++) await addAlarm(instances.storage, alarm(id))
  await sent(20)

  assert.equal(receiver.ids.length, 20)
  assert.equal(new Set(receiver.ids).size, 20)
})
