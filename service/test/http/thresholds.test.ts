import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'

let service: TestService
let token: string

before(async () => {
  service = await withService({ site: SITE })
  token = await service.issueToken()
})

after(() => service[Symbol.asyncDispose]())

const batches = (structure: number | string, factor: number | string, own = token) =>
  service.get(`/structures/${structure}/factors/${factor}/threshold/batches`, own)

describe('listThresholdBatches', () => {
  test('each batch is one object, its intervals in their canonical form', async () => {
    const response = await batches(1, 15)

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), [
      {
        batchNo: '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11',
        data: {
          items: [
            {
              id: 151,
              name: '应变',
              unit: 'µε',
              timeDivision: false,
              config: [
                {
                  startTime: null,
                  endTime: null,
                  thresholds: [
                    { level: 1, value: '(-,-300);[300,+)' },
                    { level: 2, value: '(-300,-200);(200,300)' },
                  ],
                },
              ],
            },
          ],
          stations: [
            { id: 1001, name: '应变-01' },
            { id: 1002, name: '应变-02' },
          ],
        },
      },
      {
        batchNo: '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b12',
        data: {
          items: [
            {
              id: 152,
              name: '温度',
              unit: '°C',
              timeDivision: false,
              config: [
                { startTime: null, endTime: null, thresholds: [{ level: 1, value: '(60,+)' }] },
              ],
            },
          ],
          stations: [{ id: 1003, name: '应变-03' }],
        },
      },
    ])
  })

  test('daily slots are date-times of the day 2000-01-01, and may cross midnight', async () => {
    const [batch] = (await batches(2, 17)).json()

    assert.equal(batch.data.items[0].timeDivision, true)
    assert.deepEqual(
      batch.data.items[0].config.map(({ startTime, endTime }: any) => [startTime, endTime]),
      [
        ['2000-01-01 06:00:00', '2000-01-01 22:00:00'],
        ['2000-01-01 22:00:00', '2000-01-01 06:00:00'],
      ],
    )
  })

  test('a factor without thresholds, configured or not, has none', async () => {
    assert.deepEqual((await batches(1, 33)).json(), [])
    assert.deepEqual((await batches(1, 17)).json(), [])
    assert.deepEqual((await batches(3, 15)).json(), [])
  })

  test('401, 400, 404, 403 in this order', async () => {
    const river = await service.issueToken(2)

    const stranger = await service.call('/api/v1/structures/x/factors/15/threshold/batches')
    assert.equal(stranger.status, 401)
    for (const [structure, factor, status, message] of [
      ['x', 98, 400, /^Threshold query failed: the path parameter "structId" must be/],
      [99, 'x', 400, /^Threshold query failed: the path parameter "factorId" must be/],
      [99, 98, 404, /^There is no structure 99\.$/],
      [1, 98, 404, /^There is no factor 98\.$/],
      [1, 15, 403, /^You do not have access to structure 1\.$/],
    ] as const) {
      const response = await batches(structure, factor, river)
      assert.equal(response.status, status)
      assert.match(response.json().message, message)
    }
  })
})

const BATCHES = '/manage/v1/structures/1/factors/15/threshold/batches'
const BRIDGE = '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11'

const draft = (value: string, stations = [1004], more: object = {}) => ({
  thresholds: {
    stations,
    items: [{ item: 'strain', config: [{ thresholds: [{ level: 1, value }] }] }],
    clearAfter: 1,
    ...more,
  },
})

async function manage(
  own: TestService,
  method: string,
  path: string,
  body?: unknown,
  userId = 1,
): Promise<HttpResponse> {
  const authorization = `Bearer ${await own.issueToken(userId)}`
  return own.call(path, {
    method,
    headers: {
      authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

const batchNumbers = async (own: TestService): Promise<string[]> =>
  (await own.get('/structures/1/factors/15/threshold/batches', await own.issueToken()))
    .json()
    .map(({ batchNo }: any) => batchNo)

const countOpen = async (own: TestService): Promise<number> =>
  (await own.get('/users/1/alarms/new/count', await own.issueToken())).json().count

describe('createThresholdBatch', () => {
  test('the batch is served and evaluates the next record, and the file that has it changes nothing', async () => {
    await using own = await withService({ site: SITE })
    const key = await own.createKey()
    const record = { station: 1002, time: '2026-03-01 11:00:00', values: { temperature: 70 } }

    await own.ingest('theme', key, { records: [record] })
    const before = await countOpen(own)
    const response = await manage(own, 'POST', BATCHES, {
      thresholds: {
        stations: [1002],
        items: [
          { item: 'temperature', config: [{ thresholds: [{ level: 2, value: '[60 , ∞)' }] }] },
        ],
      },
    })
    await own.ingest('theme', key, { records: [{ ...record, time: '2026-03-01 11:01:00' }] })

    assert.equal(response.status, 200, response.text)
    assert.deepEqual(response.json().notes, [])
    assert.deepEqual((await batchNumbers(own)).at(-1), response.json().batchNo)
    assert.deepEqual([before, await countOpen(own)], [0, 1])
    const text = SITE.replace(
      '\n      - factor: 33\n        stations: [{ id: 1031',
      `
          - batchNo: ${response.json().batchNo}
            stations: [1002]
            items: [{ item: temperature, config: [{ thresholds: [{ level: 2, value: '[60,+)' }] }] }]
      - factor: 33
        stations: [{ id: 1031`,
    )
    const lines = await applySite(own.storage, { text, fileName: 'site.yaml' })
    assert.deepEqual(lines, ['nothing to change'])
  })

  test('a site file that is applied later wins, and its difference says so', async () => {
    await using own = await withService({ site: SITE })
    const { batchNo } = (await manage(own, 'POST', BATCHES, draft('(300,+)'))).json()

    const lines = await applySite(own.storage, { text: SITE, fileName: 'site.yaml' })

    assert.ok(lines.includes(`- threshold batch ${batchNo}`), lines.join('\n'))
    assert.equal((await batchNumbers(own)).length, 2)
  })

  test('every problem is named with its place, in the words of the site file', async () => {
    await using own = await withService({ site: SITE })
    const wrong = [
      draft('(5,1)'),
      draft('(300,+)', [1001]),
      draft('(300,+)', [1031]),
      { thresholds: { stations: [1004], items: [{ item: 'strian' }] } },
      { thresholds: { ...draft('(300,+)').thresholds, batchNo: 7 } },
      draft('(300,+)', [1004], { batchNo: BRIDGE }),
      { thresholds: null },
      {},
    ]

    const responses = []
    for (const body of wrong) responses.push(await manage(own, 'POST', BATCHES, body))

    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [400])
    const messages = responses.map((response) => response.json().message)
    const expected = [
      /items\[0\]\.config\[0\]\.thresholds\[0\]\.value: .*low/,
      /stations\[0\]: station 1001 has thresholds of strain in batch 0d8a2f4e/,
      /stations\[0\]: station 1031 is not one of this structure and factor/,
      /items\[0\]\.item: factor 15 has no item strian \(did you mean strain\?\)/,
      /batchNo: expected/,
      /the threshold batch 0d8a2f4e\S+ exists already/,
      /"thresholds" is missing: it must be an object/,
      /"thresholds" is missing/,
    ]
    for (const [at, pattern] of expected.entries()) assert.match(messages[at], pattern)
    assert.equal((await batchNumbers(own)).length, 2)
  })

  test('needs access to the structure', async () => {
    await using own = await withService({ site: SITE })
    const missing = '/manage/v1/structures/9/factors/15/threshold/batches'

    assert.equal((await manage(own, 'POST', BATCHES, draft('(3,+)'), 2)).status, 403)
    assert.equal((await manage(own, 'POST', missing, draft('(3,+)'))).status, 404)
  })
})

describe('changeThresholdBatch', () => {
  test('an open alarm continues under the new thresholds; the batch keeps its place', async () => {
    await using own = await withService({ site: SITE })
    const key = await own.createKey()
    const record = { station: 1001, time: '2026-03-01 11:00:00', values: { strain: 250 } }
    await own.ingest('theme', key, { records: [record] })

    const response = await manage(own, 'PUT', `${BATCHES}/${BRIDGE}`, draft('(400,+)', [1001]))
    const still = await countOpen(own)
    await own.ingest('theme', key, { records: [{ ...record, time: '2026-03-01 11:01:00' }] })

    assert.deepEqual(response.json(), { batchNo: BRIDGE, notes: [] })
    assert.deepEqual([still, await countOpen(own)], [1, 0])
    assert.equal((await batchNumbers(own))[0], BRIDGE)
  })

  test('a batch that is switched off raises nothing, clears its alarms and is not listed; on again, it applies', async () => {
    await using own = await withService({ site: SITE })
    const key = await own.createKey()
    const send = (minute: number) =>
      own.ingest('theme', key, {
        records: [{ station: 1001, time: `2026-03-01 11:0${minute}:00`, values: { strain: 450 } }],
      })
    const put = (more: object) =>
      manage(own, 'PUT', `${BATCHES}/${BRIDGE}`, draft('(400,+)', [1001], more))
    const counts: number[] = []
    const listed: boolean[] = []

    for (const [minute, more] of [{}, { enabled: false }, {}, { enabled: true }].entries()) {
      if (minute > 0 && minute !== 2) await put(more)
      await send(minute)
      counts.push(await countOpen(own))
      listed.push((await batchNumbers(own)).includes(BRIDGE))
    }

    assert.deepEqual(counts, [1, 0, 0, 1])
    assert.deepEqual(listed, [true, false, false, true])
  })

  test('an alarm of a batch that names no off-delay is cleared after three normal records over an hour', async () => {
    await using own = await withService({ site: SITE })
    const key = await own.createKey()
    await manage(own, 'PUT', `${BATCHES}/${BRIDGE}`, {
      thresholds: { ...draft('(400,+)', [1001]).thresholds, clearAfter: undefined },
    })
    const counts: number[] = []

    for (const [time, strain] of [
      ['10:00', 450],
      ['10:10', 0],
      ['10:20', 0],
      ['10:30', 0],
      ['11:09', 0],
      ['11:10', 0],
    ] as const) {
      const record = { station: 1001, time: `2026-03-01 ${time}:00`, values: { strain } }
      await own.ingest('theme', key, { records: [record] })
      counts.push(await countOpen(own))
    }

    assert.deepEqual(counts, [1, 1, 1, 1, 1, 0])
  })

  test('a batch of another factor, or of none, is absent', async () => {
    await using own = await withService({ site: SITE })
    const river = '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b13'

    const responses = [
      await manage(own, 'PUT', `${BATCHES}/${river}`, draft('(400,+)')),
      await manage(own, 'PUT', `${BATCHES}/${BRIDGE.replace('0d', '0e')}`, draft('(400,+)')),
      await manage(own, 'PUT', `${BATCHES}/x`, draft('(400,+)')),
    ]

    assert.deepEqual(
      responses.map(({ status }) => status),
      [404, 404, 400],
    )
  })
})

describe('deleteThresholdBatch', () => {
  test('the batch is gone, and a later call finds none', async () => {
    await using own = await withService({ site: SITE })

    const first = await manage(own, 'DELETE', `${BATCHES}/${BRIDGE.toUpperCase()}`)
    const again = await manage(own, 'DELETE', `${BATCHES}/${BRIDGE}`)

    assert.deepEqual([first.status, again.status], [204, 404])
    assert.equal((await batchNumbers(own)).includes(BRIDGE), false)
  })
})

describe('backtestThresholds', () => {
  const MARCH = {
    structure: 1,
    factor: 15,
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-31 23:59:59',
  }

  test('counts by month, type and level what a draft would have raised, and changes nothing', async () => {
    await using own = await withService({ site: SITE })
    const records = Array.from({ length: 5000 }, (_, at) => ({
      station: 1004,
      time: Date.parse('2026-03-01T00:00:00+08:00') + at * 60_000,
      values: { strain: at % 1000 < 10 ? 350 : 0 },
    }))
    await own.ingest('theme', await own.createKey(), { records })

    const response = await manage(own, 'POST', '/manage/v1/thresholds/backtest', {
      ...MARCH,
      ...draft('(300,+)'),
    })

    assert.deepEqual(response.json(), {
      stations: [
        {
          id: 1004,
          name: '应变-04',
          records: 5000,
          alarms: 5,
          rows: [
            {
              month: '2026-03',
              alarmTypeCode: '3007',
              level: 1,
              count: 5,
              first: '2026-03-01 00:00:00',
              last: '2026-03-03 18:40:00',
              longestSeconds: 600,
            },
          ],
        },
      ],
      notes: [],
    })
    assert.equal(await countOpen(own), 0)
    assert.equal((await batchNumbers(own)).length, 2)
  })

  test('refuses a draft as storing it would, except for batches that it would replace', async () => {
    await using own = await withService({ site: SITE })
    const path = '/manage/v1/thresholds/backtest'

    const wrong = await manage(own, 'POST', path, { ...MARCH, ...draft('(5,1)') })
    const taken = await manage(own, 'POST', path, { ...MARCH, ...draft('(300,+)', [1001]) })
    const stranger = await manage(own, 'POST', path, { ...MARCH, ...draft('(300,+)') }, 2)

    assert.match(wrong.json().message, /thresholds\[0\]\.value/)
    assert.deepEqual([wrong.status, taken.status, stranger.status], [400, 200, 403])
  })
})

const drafts = async (own: TestService, structure = 1, userId = 1): Promise<HttpResponse> =>
  manage(own, 'GET', `/manage/v1/structures/${structure}/threshold/batches`, undefined, userId)

describe('listThresholdDrafts', () => {
  test('a batch is read as it was written: with its rules, also switched off', async () => {
    await using own = await withService({ site: SITE })
    const items = [
      {
        item: 'strain',
        config: [{ thresholds: [{ level: 1, value: '(300,+)' }] }],
        hysteresis: { percent: 5 },
        rates: [{ per: 'day', levels: [{ level: 2, limit: 20 }] }],
      },
    ]
    const settings = { enabled: false, clearAfter: 2, clearAfterMinutes: 0, needsPerson: true }
    const thresholds = { stations: [1004], items, ...settings }
    const kept = (await manage(own, 'POST', BATCHES, { thresholds })).json()

    const found = (await drafts(own))
      .json()
      .find(({ batchNo }: { batchNo: string }) => batchNo === kept.batchNo)

    assert.deepEqual(found, {
      factorId: 15,
      batchNo: kept.batchNo,
      thresholds: { batchNo: kept.batchNo, ...thresholds },
    })
    const path = `${BATCHES}/${kept.batchNo}`
    assert.equal((await manage(own, 'PUT', path, { thresholds: found.thresholds })).status, 200)
    assert.deepEqual(
      (await drafts(own)).json().find((one: { batchNo: string }) => one.batchNo === kept.batchNo),
      found,
    )
  })

  test('only of a structure that the caller may read', async () => {
    await using own = await withService({ site: SITE })

    assert.equal((await drafts(own, 1, 2)).status, 403)
    assert.equal((await drafts(own, 9)).status, 404)
  })
})
