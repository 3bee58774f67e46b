import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AlarmResults, Shelving } from '@plumbline/contract'
import { eventually } from '../_eventually.ts'
import { addAlarm, alarm, step } from './_alarms.ts'
import { states, withNotifications } from './_service.ts'
import { WebhookReceiver } from './_webhook.ts'

const HOUR = 3_600_000

test('a shelved alarm notifies nobody until its time is over, it escalates or a person ends it', async () => {
  await using receiver = await WebhookReceiver.start()
  const start = Date.UTC(2026, 2, 1)
  let now = start
  await using service = await withNotifications(receiver, {
    now: () => now,
    rule: {
      events: ['new', 'repeated', 'escalated', 'cleared', 'confirmed'],
      reminderEvery: 3600,
    },
  })
  const token = await service.issueToken()
  const post = (path: string, body: object, own = token) =>
    service.call(`/manage/v1/alarms/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const get = async (path: string) =>
    (
      await service.call(`/manage/v1/alarms${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).json()
  const shelve = async (alarmIds: number[], hours: number) => {
    const body = { alarmIds, until: now + hours * HOUR, comment: 'crane 起重机' }
    return (await post('shelve', body)).json<AlarmResults>().results.map(({ reason }) => reason)
  }
  const shelvedUntil = async () => (await get('')).alarms[0].shelvedUntil
  const sent = () =>
    receiver.posts.map(({ body }) => JSON.parse(body)).map(({ kind, event }) => `${kind} ${event}`)
  const steps = [step()]
  const transition = async (alarmState: 1 | 2 | 3, level = 2) => {
    steps.push(step({ alarmState, currentLevel: level }))
    await addAlarm(service.storage, alarm(1, { state: alarmState, level }), steps, { now })
  }
  const reasons = async () => (await states(service)).map(({ reason }) => reason)
  const last = async () => (await service.storage.deliveries.list({ limit: 1 }))[0]

  await addAlarm(service.storage, alarm(1), steps, { now })
  await eventually(async () => assert.equal((await last())?.state, 'delivered'))

  assert.deepEqual(await shelve([1, 99], 2), [null, 'There is no alarm 99.'])
  assert.equal(await shelvedUntil(), start + 2 * HOUR)
  await transition(1)
  await eventually(async () => assert.equal((await reasons())[0], 'shelved by 1: crane 起重机'))
  now += 1.5 * HOUR
  await eventually(async () => {
    const due = await service.storage.outbox.listDueReminders(now, 10)
    assert.deepEqual(due, [])
  })
  assert.deepEqual(sent(), ['alarm new'])

  now = start + 2 * HOUR
  await eventually(() => assert.deepEqual(sent().slice(1), ['reminder repeated']))
  assert.equal(await shelvedUntil(), undefined)

  assert.deepEqual(await shelve([1], 10), [null])
  await transition(2, 1)
  await eventually(() => assert.deepEqual(sent().slice(2), ['alarm escalated']))
  assert.equal(await shelvedUntil(), undefined)

  now += 1000
  assert.deepEqual(await shelve([1], 10), [null])
  assert.deepEqual(await shelve([1], 20), [null])
  const results = [
    await post('unshelve', { alarmIds: [1] }),
    await post('unshelve', { alarmIds: [1] }),
  ]
  assert.deepEqual(
    results.map((one) => one.json<AlarmResults>().results[0]?.reason),
    [null, 'alarm 1 is not shelved'],
  )

  now += 1000
  assert.deepEqual(await shelve([1], 10), [null])
  await transition(3, 1)
  await eventually(async () => assert.equal((await reasons())[0], 'shelved by 1: crane 起重机'))
  assert.deepEqual(await shelve([1], 10), ['alarm 1 is closed already'])
  const shelvings: Shelving[] = await get('/1/shelvings')
  assert.deepEqual(
    shelvings.map(({ endedBy }) => endedBy),
    ['time', 'escalation', 'person', 'person', 'close'],
  )
  assert.deepEqual(shelvings[0], {
    from: start,
    until: start + 2 * HOUR,
    comment: 'crane 起重机',
    sponsor: '1',
    endedAt: start + 2 * HOUR,
    endedBy: 'time',
  })
  assert.equal(sent().length, 3)
})
