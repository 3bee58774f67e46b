import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySite } from '../../src/site/apply/apply.ts'
import { BASE, CELL, CELL_RECORDS, derivedSite, POINT } from '../_derived-site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'

const DAY = { startTime: '2026-01-05 00:00:00', endTime: '2026-01-05 23:59:59' }

let service: TestService
let token: string

before(async () => {
  service = await withService({ site: derivedSite(2), settings: { 'seal.everyMinutes': 0 } })
  token = await service.issueToken(1)
  const key = await service.createKey()
  const others = [
    { sensor: CELL, time: '2026-01-07T08:00:00.250+08:00', values: { v: 3.1412 } },
    { sensor: BASE, time: '2026-01-06 08:00:00', values: { v: 10 } },
    { sensor: POINT, time: '2026-01-06 08:00:00', values: { v: 12.5 } },
    { sensor: POINT, time: '2026-01-06 09:00:00', values: { v: 13 } },
  ]
  await service.ingest('raw', key, { records: [...CELL_RECORDS, ...others] })
  const ready = { station: 12, time: '2026-01-05 08:00:00', values: { strain: 7 } }
  await service.ingest('theme', key, { records: [ready] })
})
after(() => service[Symbol.asyncDispose]())

const explain = (station: number, time: string, as = token): Promise<HttpResponse> =>
  service.call(
    `/manage/v1/stations/${station}/explain?time=${encodeURIComponent(time)}&token=${as}`,
  )

const recompute = (body: object, as = token, structure = 1): Promise<HttpResponse> =>
  service.call(`/manage/v1/structures/${structure}/recompute?token=${as}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('explainStation', () => {
  test('names every step from the raw value to the derived value, to the millisecond', async () => {
    const response = await explain(11, '2026-01-07 08:00:00')

    assert.deepEqual(response.json(), {
      station: { id: 11, name: 'SG-11' },
      siteVersion: 1,
      records: [
        {
          time: '2026-01-07T08:00:00.250+08:00',
          items: [
            {
              key: 'strain',
              name: '应变',
              unit: 'µε',
              precision: 0.1,
              origin: 'raw',
              value: 4.28,
              unrounded: 2 * (3.1412 - 1),
              stored: 4.28,
              conversion: {
                kind: 'linear',
                formula: 'k(v - v0) + c',
                parameters: { k: 2, v0: 1 },
                validFrom: null,
                inputs: [
                  {
                    name: 'value',
                    sensor: CELL,
                    sensorName: 'Cell 1',
                    key: 'v',
                    value: 3.1412,
                    time: '2026-01-07T08:00:00.250+08:00',
                  },
                ],
              },
            },
          ],
        },
      ],
    })
  })

  test('names the members of a group, and those without a value', async () => {
    const whole = (await explain(14, '2026-01-06 08:00:00')).json()
    const lonely = (await explain(14, '2026-01-06 09:00:00')).json()

    const [item] = whole.records[0].items
    assert.deepEqual(
      { ...item, conversion: undefined, group: item.group.members },
      {
        key: 'settling',
        name: 'Settling',
        unit: 'mm',
        precision: 0.1,
        origin: 'raw',
        value: 2.5,
        unrounded: 2.5,
        stored: 2.5,
        conversion: undefined,
        group: [
          { id: 13, name: 'Base', value: 10 },
          { id: 14, name: 'P-1', value: 12.5 },
        ],
      },
    )
    const [absent] = lonely.records[0].items
    assert.equal(absent.absent, 'the base point Base has no value')
    assert.equal(absent.stored, null)
    assert.equal('value' in absent, false)
  })

  test('says that a value was not derived', async () => {
    const { records } = (await explain(12, '2026-01-05 08:00:00')).json()

    assert.deepEqual(records[0].items, [
      {
        key: 'strain',
        name: '应变',
        unit: 'µε',
        precision: 0.1,
        origin: 'ready',
        stored: 7,
      },
    ])
  })

  test('a time without a record is a 404, another user’s station a 403', async () => {
    assert.equal((await explain(11, '2026-01-05 08:00:01')).status, 404)
    assert.equal((await explain(99, '2026-01-05 08:00:00')).status, 404)
    const other = await service.issueToken(2)
    assert.equal((await explain(11, '2026-01-05 08:00:00', other)).status, 403)
    assert.equal((await explain(11, '2026-02-30 08:00:00')).status, 400)
  })
})

describe('recompute', () => {
  test('shows what a changed parameter changes, stores it on demand, and can be undone', async () => {
    const valuesOf = async () => {
      const query = `stations=11&startTime=2026-01-05 00:00:00&endTime=2026-01-05 23:59:59`
      const response = await service.get(`/stations/theme/data?${query}`, token)
      return response.json().stations[0].data.map(({ strain }: { strain: number }) => strain)
    }
    const before = await valuesOf()
    assert.deepEqual((await recompute(DAY)).json().stations[0].items, [])
    await applySite(service.storage, { text: derivedSite(5), fileName: 'site.yaml' })

    const shown = (await recompute(DAY)).json()
    const unchanged = await valuesOf()
    const stored = (await recompute({ ...DAY, commit: true })).json()
    const after = await valuesOf()

    // Hour 0 gives 0 with any factor; above 100 are the hours 21 to 23: one alarm.
    assert.deepEqual(shown.stations[0], {
      id: 11,
      name: 'SG-11',
      records: 24,
      changed: 23,
      added: 0,
      removed: 0,
      items: [{ key: 'strain', values: 23, largest: 69 }],
      alarms: [{ alarmTypeCode: '3007', level: 1, before: 0, after: 1 }],
    })
    assert.equal(shown.change, null)
    assert.deepEqual(unchanged, before)
    assert.deepEqual(stored.stations, shown.stations)
    assert.deepEqual(
      after,
      before.map((value: number) => (value / 2) * 5),
    )
    assert.deepEqual((await recompute(DAY)).json().stations[0].items, [])

    const undone = await service.storage.changes.undo(stored.change, { limit: 1000, now: 0 })

    assert.deepEqual([undone.restored, undone.left, undone.isDone], [23, 0, true])
    assert.deepEqual(await valuesOf(), before)
  })

  test('another user’s structure is a 403, an unknown one a 404, a window the wrong way a 400', async () => {
    const other = await service.issueToken(2)

    assert.equal((await recompute(DAY, other)).status, 403)
    assert.equal((await recompute(DAY, token, 77)).status, 404)
    const backwards = { startTime: DAY.endTime, endTime: DAY.startTime }
    assert.equal((await recompute(backwards)).status, 400)
  })

  test('a structure without derived stations has none', async () => {
    assert.deepEqual((await recompute(DAY, token, 9)).json(), { change: null, stations: [] })
  })
})
