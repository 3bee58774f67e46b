import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AlarmResults, FoundAlarms, Shelving } from '@plumbline/contract'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'
import { ALARMS } from './_alarms.ts'

const NOW = Date.UTC(2026, 2, 3)
const HOUR = 3_600_000

let own: TestService
let token: string
let river: string

before(async () => {
  own = await withService({ site: SITE, now: () => NOW })
  await storeAlarms(own.storage, ALARMS)
  token = await own.issueToken(1)
  river = await own.issueToken(2)
})

after(() => own[Symbol.asyncDispose]())

const call = (path: string, body?: object, as = token) =>
  own.call(`/manage/v1/alarms${path}`, {
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })

const reasons = async (path: string, body: object, as = token) =>
  (await call(path, body, as)).json<AlarmResults>().results.map(({ reason }) => reason)

const shelved = async () =>
  (await call('?status=new'))
    .json<FoundAlarms>()
    .alarms.flatMap(({ id, shelvedUntil }) =>
      shelvedUntil === undefined ? [] : [[id, shelvedUntil]],
    )

describe('shelveAlarms', () => {
  test('shelves the open alarms that the caller may see, and says of others why not', async () => {
    const body = { alarmIds: [2, 5, 1, 99], until: NOW + HOUR, comment: 'crane' }

    assert.deepEqual(await reasons('/shelve', body, river), [
      null,
      'alarm 5 is closed already',
      'You do not have access to alarm 1.',
      'There is no alarm 99.',
    ])
    assert.deepEqual(await shelved(), [[2, NOW + HOUR]])
  })

  test('refuses a time in the past, more than 30 days, and a token that only reads', async () => {
    const body = { alarmIds: [1], until: NOW + HOUR, comment: '' }
    const responses = [
      await call('/shelve', { ...body, until: NOW }),
      await call('/shelve', { ...body, until: NOW + 31 * 24 * HOUR }),
      await call('/shelve', { ...body, alarmIds: [] }),
      await call('/shelve', body, await own.issueToken(1, 'read')),
    ]

    assert.deepEqual(
      responses.map(({ status }) => status),
      [400, 400, 400, 403],
    )
  })
})

describe('unshelveAlarms', () => {
  test('ends a shelving, once', async () => {
    await call('/shelve', { alarmIds: [1], until: NOW + HOUR, comment: '' })

    const alarmIds = [1, 3, 99]
    const not = ['alarm 3 is not shelved', 'There is no alarm 99.']
    assert.deepEqual(await reasons('/unshelve', { alarmIds }), [null, ...not])
    assert.deepEqual(await reasons('/unshelve', { alarmIds }), ['alarm 1 is not shelved', ...not])
    assert.deepEqual(await shelved(), [[2, NOW + HOUR]])
  })
})

describe('listShelvings', () => {
  test('lists who shelved an alarm, until when and why it ended', async () => {
    const [first]: Shelving[] = (await call('/1/shelvings')).json()
    const [second]: Shelving[] = (await call('/2/shelvings', undefined, river)).json()

    const shelving = { from: NOW, until: NOW + HOUR }
    const ended = { endedAt: NOW, endedBy: 'person' }
    assert.deepEqual(first, { ...shelving, comment: '', sponsor: '1', ...ended })
    const open = { endedAt: null, endedBy: null }
    assert.deepEqual(second, { ...shelving, comment: 'crane', sponsor: '2', ...open })
    const others = [await call('/1/shelvings', undefined, river), await call('/99/shelvings')]
    assert.deepEqual(
      others.map(({ status }) => status),
      [403, 404],
    )
  })
})
