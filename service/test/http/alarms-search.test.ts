import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AlarmResults, FoundAlarms } from '@plumbline/contract'
import { SITE } from '../_site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'
import { ALARMS } from './_alarms.ts'

let own: TestService
let everyone: string
let river: string
let reader: string

before(async () => {
  own = await withService({ site: SITE })
  await storeAlarms(own.storage, ALARMS)
  everyone = await own.issueToken(1)
  river = await own.issueToken(2)
  reader = await own.issueToken(1, 'read')
})

after(() => own[Symbol.asyncDispose]())

const search = (query = '', token = everyone): Promise<HttpResponse> =>
  own.call(`/manage/v1/alarms${query}`, { headers: { authorization: `Bearer ${token}` } })

const ids = async (query: string, token?: string) => {
  const { count, alarms }: FoundAlarms = (await search(query, token)).json()
  assert.equal(count, alarms.length)
  return alarms.map(({ id }) => id)
}

const confirm = (body: object, token = everyone): Promise<HttpResponse> =>
  own.call('/manage/v1/alarms/confirm', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('searchAlarms', () => {
  test('lists alarms of all structures in the order of the interface, each with its structure', async () => {
    const { count, alarms }: FoundAlarms = (await search('?limit=2')).json()

    assert.equal(count, 5)
    assert.deepEqual(alarms[0], {
      id: 2,
      source: { id: '1002', name: 'S-2' },
      sourceType: { id: 2, name: 'station' },
      alarmTypeCode: '3007',
      level: 1,
      content: 'content',
      count: 9,
      state: 1,
      startTime: '2026-03-01 08:00:00',
      endTime: '2026-03-02 08:00:00',
      structureId: 2,
      structureName: 'River',
      stationId: 1002,
    })
    const [device] = (await search('?types=2')).json<FoundAlarms>().alarms
    assert.deepEqual([device?.id, device?.stationId], [3, undefined])
  })

  test('takes the filters of the interface', async () => {
    assert.deepEqual(await ids('?status=new&orderBy=count&orderDirection=desc'), [2, 3, 1])
    assert.deepEqual(await ids('?levels=1,3&structures=[2]'), [2, 5])
    assert.deepEqual(await ids('?keywords=50%25'), [1])
    assert.deepEqual(await ids('?endTime=2026-02-28+12:00:00'), [5, 4])
  })

  test('shows nothing of structures without access', async () => {
    assert.deepEqual(await ids('', river), [2, 5])
    assert.equal((await search('?structures=1', river)).status, 403)
    assert.equal((await search('?structures=99', river)).status, 404)
    assert.equal((await search('?orderBy=name')).status, 400)
  })
})

describe('confirmAlarms', () => {
  test('confirms each alarm that it can, and says of every other one why not', async () => {
    const response = await confirm({ alarmIds: [2, 4, 99, 1, 2], comment: 'seen' }, river)

    assert.equal(response.status, 200, response.text)
    const done = { alarmId: 2, isDone: true, reason: null }
    assert.deepEqual(response.json<AlarmResults>().results, [
      done,
      { alarmId: 4, isDone: false, reason: 'You do not have access to alarm 4.' },
      { alarmId: 99, isDone: false, reason: 'There is no alarm 99.' },
      { alarmId: 1, isDone: false, reason: 'You do not have access to alarm 1.' },
      done,
    ])
    assert.deepEqual(await ids('?status=new'), [3, 1])
    const again = await confirm({ alarmIds: [2, 3], comment: '' })
    assert.deepEqual(
      again.json<AlarmResults>().results.map(({ reason }) => reason),
      ['alarm 2 is closed already', null],
    )
    const [last] = (await own.get('/alarms/2/details', everyone)).json().slice(-1)
    assert.deepEqual([last.sponsor, last.alarmState, last.content], ['2', 4, 'seen'])
  })

  test('needs alarms, a comment and the scope operate', async () => {
    const refused = [
      await confirm({ alarmIds: [], comment: 'x' }),
      await confirm({ alarmIds: [1] }),
      await confirm({ alarmIds: [1], comment: 'x' }, reader),
    ]

    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 403],
    )
  })
})
