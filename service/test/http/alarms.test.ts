import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { shareService } from '../_suite.ts'
import { ALARMS, STEPS, alarm } from './_alarms.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

let riverToken: string

const suite = shareService({ site: SITE }, async ({ service }) => {
  riverToken = await service.issueToken(2)
  await storeAlarms(service.storage, ALARMS)
})

const list = (query = '', body?: unknown, own = suite.token) =>
  suite.service.post(`/users/1/alarms${query}`, own, body)

/** The ids on a page, in the order in which they stand there. */
const idsOf = async (query = '', body?: unknown): Promise<number[]> => {
  const response = await list(query, body)
  assert.equal(response.status, 200, response.text)
  return response.json().alarms.flatMap(({ alarms }: any) => alarms.map(({ id }: any) => id))
}

const sorted = async (query = '', body?: unknown): Promise<number[]> =>
  (await idsOf(query, body)).toSorted((one, two) => one - two)

const window = (startTime?: string, endTime?: string) => ({ startTime, endTime })

const order = async (query: string) => {
  const ids: number[] = []
  for (let offset = 0; offset < 5; offset++)
    ids.push(...(await idsOf(`?limit=1&offset=${offset}${query}`)))
  return ids
}

describe('countAlarms', () => {
  test('new are states 0, 1 and 2, history 3 and 4, of the user’s structures', async () => {
    for (const [user, own, status, count] of [
      [1, suite.token, 'new', 3],
      [1, suite.token, 'history', 2],
      [2, riverToken, 'new', 1],
      [2, riverToken, 'history', 1],
    ] as const) {
      const response = await suite.service.get(`/users/${user}/alarms/${status}/count`, own)
      assert.deepEqual(response.json(), { count }, `${user} ${status}`)
    }
  })

  test('a user without structures has none', async () => {
    const own = await suite.service.issueToken(3)

    const response = await suite.service.get('/users/3/alarms/new/count', own)

    assert.deepEqual(response.json(), { count: 0 })
  })

  test('401, 400, 404, 403 in this order', async () => {
    assert.equal((await suite.service.call('/api/v1/users/x/alarms/old/count')).status, 401)
    for (const [path, status, message] of [
      ['/users/1/alarms/old/count', 400, /"status" must be one of new, history/],
      ['/users/99/alarms/old/count', 400, /^Alarm query failed: /],
      ['/users/x/alarms/new/count', 400, /"userId" must be a whole number/],
      ['/users/99/alarms/new/count', 404, /^There is no user 99\.$/],
      ['/users/1/alarms/new/count', 403, /^The application does not act for user 1\.$/],
    ] as const) {
      const response = await suite.service.get(path, riverToken)
      assert.equal(response.status, status, path)
      assert.match(response.json().message, message)
    }
  })
})

describe('listAlarms', () => {
  test('alarms are grouped by structure in order of appearance, with one total count', async () => {
    const response = await list('?limit=3')

    assert.equal(response.json().count, 5)
    assert.deepEqual(
      response
        .json()
        .alarms.map(({ structureId, structureName, alarms }: any) => [
          structureId,
          structureName,
          alarms.map(({ id }: any) => id),
        ]),
      [
        [2, 'River', [2, 5]],
        [1, '长江大桥', [3]],
      ],
    )
  })

  test('an alarm has every member, and its source type in words', async () => {
    const response = await list('', { keywords: '断线' })

    assert.deepEqual(response.json().alarms[0].alarms, [
      {
        id: 3,
        source: { id: '1003', name: 'S-3' },
        sourceType: { id: 0, name: 'DTU' },
        alarmTypeCode: '3007',
        level: 2,
        content: 'DTU 断线',
        count: 5,
        state: 2,
        startTime: '2026-03-01 08:00:00',
        endTime: '2026-03-01 08:00:00',
      },
    ])
  })

  test('JSON as Content-Type and no body at all: the filter is read from the query', async () => {
    const query =
      '&structures=[1]&status=new&limit=5&offset=0&orderBy=level&orderDirection=desc&types=[1,2]'
    for (const written of [query, query.replaceAll('[', '%5B').replaceAll(']', '%5D')]) {
      const response = await suite.service.call(
        `/api/v1/users/1/alarms?token=${suite.token}${written}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
        },
      )
      assert.equal(response.status, 200)
      assert.deepEqual(
        response.json().alarms[0].alarms.map(({ id }: any) => id),
        [1, 3],
      )
      assert.equal(response.json().count, 2)
    }
  })

  test('no Content-Type, an empty body and an empty chunk are no body too', async () => {
    const path = `/api/v1/users/1/alarms?token=${suite.token}&status=history`
    for (const [headers, body] of [
      [{}, undefined],
      [{ 'content-type': 'application/json' }, ''],
      [{ 'content-type': 'application/json', 'transfer-encoding': 'chunked' }, ''],
      [{ 'content-type': 'application/json', 'content-length': '0' }, undefined],
      [{ 'content-type': 'application/json' }, ' \n'],
      [{ 'content-type': 'application/json' }, 'null'],
    ] as const) {
      const response = await suite.service.call(path, { method: 'POST', headers, body })
      assert.equal(response.status, 200, JSON.stringify([headers, body]))
      assert.equal(response.json().count, 2)
    }
  })

  test('a member of the body wins over the same one in the query', async () => {
    assert.deepEqual(await sorted('?status=new', { status: 'history' }), [4, 5])
    assert.deepEqual(await sorted('?structures=[1]', { structures: [2] }), [2, 5])
    assert.deepEqual(await sorted('?structures=[1]', { structures: [] }), [1, 2, 3, 4, 5])
    assert.deepEqual(await sorted('?structures=[1]', { status: 'new' }), [1, 3])
    assert.deepEqual(await sorted('?status=new', { status: null }), [1, 2, 3])
  })

  test('lists are written [1,2], 1,2, with blanks, or one after the other', async () => {
    for (const written of ['[1,2]', '1,2', '%5B1,+2%5D', '[1,,2,]', '1&levels=2'])
      assert.deepEqual(await sorted(`?levels=${written}`), [2, 3, 4, 5], written)
    for (const written of ['[]', '', '%5B%20%5D'])
      assert.deepEqual(await sorted(`?levels=${written}`), [1, 2, 3, 4, 5], written)
  })

  test('types select categories; -1 matches no alarm', async () => {
    assert.deepEqual(await sorted('', { types: [-1] }), [])
    assert.deepEqual(await sorted('?types=[-1]'), [])
    assert.deepEqual(await sorted('', { types: [-1, 3] }), [4])
    assert.deepEqual(await sorted('', { types: [1] }), [1, 2])
    assert.deepEqual(await sorted('', { types: [5, 4] }), [5])
    assert.deepEqual(await sorted('', { types: [] }), [1, 2, 3, 4, 5])
  })

  test('the window meets the span from creation to last update, both ends included', async () => {
    assert.deepEqual(await sorted('', window('2026-03-02 08:00:00', '2026-03-03 00:00:00')), [2])
    assert.deepEqual(await sorted('', window('2026-03-02 08:00:01')), [])
    assert.deepEqual(await sorted('', window(undefined, '2026-02-01 00:00:00')), [4])
    assert.deepEqual(await sorted('', window('2026-03-01 12:00:00', '2026-03-01 13:00:00')), [2])
    assert.deepEqual(await sorted('?startTime=2026-03-02+08:00:00&endTime='), [2])
  })

  test('keywords are searched in source and content, literally and without regard to case', async () => {
    assert.deepEqual(await sorted('', { keywords: '50%' }), [1])
    assert.deepEqual(await sorted('', { keywords: '%' }), [1])
    assert.deepEqual(await sorted('', { keywords: 'äö_' }), [5])
    assert.deepEqual(await sorted('', { keywords: 'STRAIN' }), [1])
    assert.deepEqual(await sorted('', { keywords: "'; drop table alarms; --" }), [])
    assert.deepEqual(await sorted('', { keywords: '' }), [1, 2, 3, 4, 5])
    assert.deepEqual(await sorted('?keywords=s-2'), [2])
  })

  test('the filters narrow together', async () => {
    const filter = { structures: [1], status: 'new', levels: [2, 3], types: [1] }

    assert.deepEqual(await sorted('', filter), [1])
  })

  test('the default order is by ascending level; ties are ordered by id in the same direction', async () => {
    assert.deepEqual(await order(''), [2, 5, 3, 4, 1])
    assert.deepEqual(await order('&orderDirection=desc'), [1, 4, 3, 5, 2])
    assert.deepEqual(await order('&orderBy=count'), [4, 5, 1, 3, 2])
    assert.deepEqual(await order('&orderBy=startTime'), [4, 5, 1, 2, 3])
    assert.deepEqual(await order('&orderBy=endTime&orderDirection=desc'), [2, 5, 4, 3, 1])
    assert.deepEqual(await order('&orderBy=&orderDirection='), [2, 5, 3, 4, 1])
  })

  test('a page has 20 alarms by default, up to 10,000', async () => {
    await using own = await withService({ site: SITE })
    const reader = await own.issueToken()
    await storeAlarms(
      own.storage,
      Array.from({ length: 25 }, (_, index) => alarm(index + 1, {})),
    )
    const count = async (query: string) => {
      const response = await own.post(`/users/1/alarms${query}`, reader)
      assert.equal(response.json().count, 25)
      return response.json().alarms.flatMap(({ alarms }: any) => alarms).length
    }

    assert.equal(await count(''), 20)
    assert.equal(await count('?offset=20'), 5)
    assert.equal(await count('?limit=10000'), 25)
    assert.equal(await count('?offset=25'), 0)
    assert.equal(await count('?offset=9007199254740991'), 0)
    const tooMany = await own.post('/users/1/alarms?limit=10001', reader)
    assert.equal(tooMany.status, 400)
    assert.deepEqual(tooMany.json(), {
      name: 'FindError',
      message:
        'Alarm query failed: the query parameter "limit" must be a whole number from 1 to 10000.',
    })
  })

  test('an application sees the alarms of its user’s structures only', async () => {
    const response = await suite.service.post('/users/2/alarms', riverToken, {})

    assert.equal(response.json().count, 2)
    assert.deepEqual(
      response.json().alarms.map(({ structureId }: any) => structureId),
      [2],
    )
  })

  test('parameters and members are checked by name', async () => {
    for (const [query, body, reason] of [
      ['?orderBy=id', {}, /"orderBy" must be one of level, count, startTime, endTime/],
      ['?orderDirection=up', {}, /"orderDirection" must be one of asc, desc/],
      ['?offset=-1', {}, /"offset" must be a whole number of at least 0/],
      ['?structures=[x]', undefined, /query parameter "structures\[0\]" must be a whole number/],
      ['', { structures: ['x'] }, /body member "structures\[0\]" must be a whole number/],
      ['', { structures: 'x' }, /body member "structures\[0\]" must be a whole number/],
      ['', { status: 'old' }, /body member "status" must be one of new, history/],
      ['', { levels: [1.5] }, /body member "levels\[0\]" must be a whole number/],
      ['', { keywords: 7 }, /body member "keywords" must be text/],
      ['', { startTime: 'now' }, /body member "startTime" must be a local date and time/],
      [
        '',
        { startTime: '2026-03-02 00:00:00', endTime: '2026-03-01 00:00:00' },
        /"startTime" lies after "endTime"/,
      ],
      ['', [], /the body must be an object/],
      ['', 'text', /the body must be an object/],
    ] as const) {
      const response = await list(query, body)
      assert.equal(response.status, 400, `${query} ${JSON.stringify(body)}`)
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, /^Alarm query failed: /)
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order, and a list is refused as a whole', async () => {
    assert.equal(
      (await suite.service.call('/api/v1/users/x/alarms', { method: 'POST' })).status,
      401,
    )
    for (const [path, body, status, message] of [
      ['/users/99/alarms?limit=0', {}, 400, /"limit"/],
      ['/users/99/alarms', {}, 404, /^There is no user 99\.$/],
      ['/users/1/alarms', { structures: [99] }, 404, /^There is no structure 99\.$/],
      ['/users/2/alarms', { structures: [1, 99] }, 404, /^There is no structure 99\.$/],
      ['/users/1/alarms', {}, 403, /^The application does not act for user 1\.$/],
      ['/users/2/alarms', { structures: [2, 1] }, 403, /^You do not have access to structure 1\.$/],
    ] as const) {
      const response = await suite.service.post(path, riverToken, body)
      assert.equal(response.status, status, path)
      assert.match(response.json().message, message)
    }
  })
})

describe('listAlarmDetails', () => {
  test('the transitions of an alarm come oldest first', async () => {
    const response = await suite.service.get('/alarms/1/details', suite.token)

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), STEPS)
    assert.deepEqual((await suite.service.get('/alarms/2/details', suite.token)).json(), [])
  })

  test('401, 400, 404, 403 in this order', async () => {
    assert.equal((await suite.service.call('/api/v1/alarms/x/details')).status, 401)
    for (const [id, status, message] of [
      ['x', 400, /^Alarm query failed: the path parameter "alarmId" must be/],
      ['99', 404, /^There is no alarm 99\.$/],
      ['1', 403, /^You do not have access to alarm 1\.$/],
    ] as const) {
      const response = await suite.service.get(`/alarms/${id}/details`, riverToken)
      assert.equal(response.status, status)
      assert.match(response.json().message, message)
    }
  })
})
