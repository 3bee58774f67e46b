import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { ALARMS, STEPS } from './_alarms.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

const record = (minute: number, strain: number) => ({
  station: 1001,
  time: Date.UTC(2026, 4, 1, 0, minute),
  values: { strain },
})

const confirm = async (own: TestService, id: number, body: unknown, userId = 1) =>
  own.call(`/manage/v1/alarms/${id}/confirm`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await own.issueToken(userId)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })

describe('confirmAlarm', () => {
  const now = Date.UTC(2026, 5, 1)
  test('closes an open alarm with the user and the comment; the next violation opens another', async () => {
    await using own = await withService({ site: SITE, now: () => now })
    const key = await own.createKey()
    await own.ingest('theme', key, { records: [record(0, 0), record(1, 250)] })

    const response = await confirm(own, 1, { comment: 'crane 起重机' })
    await own.ingest('theme', key, { records: [record(2, 250)] })

    assert.equal(response.status, 200, response.text)
    const { id, state, level, endTime } = response.json()
    assert.deepEqual([id, state, level, endTime], [1, 4, 2, '2026-06-01 08:00:00'])
    const reader = await own.issueToken()
    const details = (await own.get('/alarms/1/details', reader)).json()
    assert.deepEqual(details[1], {
      sponsor: '1',
      alarmCode: '30070002',
      alarmState: 4,
      currentLevel: 2,
      content: 'crane 起重机',
      time: '2026-06-01 08:00:00',
    })
    const page = (await own.post('/users/1/alarms', reader)).json()
    assert.deepEqual(
      page.alarms[0].alarms.map((one: any) => [one.id, one.state]),
      [
        [1, 4],
        [2, 0],
      ],
    )
  })

  test('refuses an alarm that is closed, absent or of a structure without access', async () => {
    await using own = await withService({ site: SITE })
    await storeAlarms(own.storage, ALARMS)

    const responses = [
      await confirm(own, 4, { comment: 'x' }),
      await confirm(own, 99, { comment: 'x' }),
      await confirm(own, 1, { comment: 'x' }, 2),
      await confirm(own, 1, {}),
      await confirm(own, 1, { comment: 'x'.repeat(501) }),
    ]

    assert.deepEqual(
      responses.map(({ status }) => status),
      [400, 404, 403, 400, 400],
    )
    assert.match(responses[0]!.json().message, /alarm 4 is closed already/)
    assert.equal(await own.storage.alarms.count('all', 'new'), 3)
  })

  test('of two concurrent confirmations one is refused because the alarm is closed', async () => {
    await using own = await withService({ site: SITE })
    await storeAlarms(own.storage, ALARMS)

    const responses = await Promise.all([1, 1].map((id) => confirm(own, id, { comment: 'seen' })))

    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 400])
    assert.equal((await own.storage.alarms.listDetails(1)).length, STEPS.length + 1)
  })
})
