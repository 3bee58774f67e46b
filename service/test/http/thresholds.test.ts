import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

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
    const answer = await batches(1, 15)

    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json(), [
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
      [1, 15, 403, /^Structure 1 is not yours to see\.$/],
    ] as const) {
      const answer = await batches(structure, factor, river)
      assert.equal(answer.status, status)
      assert.match(answer.json().message, message)
    }
  })
})
