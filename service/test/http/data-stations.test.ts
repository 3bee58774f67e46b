import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { IDS } from '../_site.ts'
import { SERVED, WINDOW, shareRecords } from './_data.ts'

const { suite } = shareRecords()

const nested = (structure: number, factor: number, query = WINDOW) =>
  `/structures/${structure}/factors/${factor}/stations/data?${query}`

describe('getStationsData', () => {
  test('theme and raw records are nested, the raw ones by the sensors of the stations', async () => {
    const response = await suite.service.post(nested(1, 15), suite.token, {
      stations: [1003, 1001, 1004],
    })

    assert.equal(response.status, 200)
    const { theme: ofStations, raw } = response.json()
    assert.deepEqual(ofStations.items, {
      strain: { name: '应变', unit: 'µε' },
      temperature: { name: '温度', unit: '°C' },
    })
    assert.deepEqual(
      ofStations.stations.map(({ id }: any) => id),
      [1003, 1001, 1004],
    )
    assert.deepEqual(ofStations.stations[0].data, [
      { values: { strain: 1301, temperature: 25 }, time: '2026-03-01 12:00:00' },
    ])
    assert.deepEqual(
      ofStations.stations[1].data,
      SERVED.slice(0, 3).map(({ time, ...values }) => ({ values, time })),
    )
    assert.deepEqual(raw, {
      items: {
        frequency: { name: '频率', unit: 'Hz' },
        temperature: { name: '温度', unit: '°C' },
        reading: { name: 'Reading', unit: 'mV' },
      },
      sensors: [
        {
          id: IDS.wire,
          name: 'VW-01',
          data: [{ values: { frequency: 1600, temperature: 25 }, time: '2026-03-01 12:00:00' }],
        },
        {
          id: IDS.gauge,
          name: 'G-01',
          data: [{ values: { reading: 1.5 }, time: '2026-03-01 12:00:00' }],
        },
      ],
    })
  })

  test('one station, the same one twice and no station are lists', async () => {
    const one = await suite.service.post(nested(1, 15), suite.token, { stations: [1002] })
    const twice = await suite.service.post(nested(1, 15), suite.token, { stations: [1002, 1002] })
    const none = await suite.service.post(nested(1, 15), suite.token, { stations: [] })

    assert.deepEqual(one.json().theme.stations, [
      {
        id: 1002,
        name: '应变-02',
        data: [{ values: { strain: 7 }, time: '2026-03-01 12:00:00' }],
      },
    ])
    assert.deepEqual(one.json().raw, { items: {}, sensors: [] })
    assert.equal(twice.text, one.text)
    assert.equal(none.text, '{"theme":{"items":{},"stations":[]},"raw":{"items":{},"sensors":[]}}')
  })

  test('a large response is whole across pages', async () => {
    const response = await suite.service.post(
      nested(1, 15, 'startTime=2026-01-01+00:00:00&endTime=2027-01-01+00:00:00'),
      suite.token,
      { stations: [1001] },
    )

    assert.equal(response.headers['content-length'], undefined)
    assert.deepEqual(
      response.json().theme.stations[0].data,
      SERVED.map(({ time, ...values }) => ({ values, time })),
    )
  })

  test('a station without conversions has its raw records, with odd keys', async () => {
    const response = await suite.service.post(nested(2, 18), suite.token, { stations: [2003] })

    const data = '[{"values":{"__proto__":5},"time":"2026-03-01 12:00:00"}]'
    const sensor = `{"id":"${IDS.riverGauge}","name":"R-01","data":${data}}`
    const items = '{"__proto__":{"name":"Prototype","unit":"a"}}'
    assert.ok(
      response.text.endsWith(`"raw":{"items":${items},"sensors":[${sensor}]}}`),
      response.text,
    )
    assert.deepEqual(response.json().theme.stations[0].data, [])
  })

  test('the body is JSON under any Content-Type, or a 400 that names what is expected', async () => {
    const url = `/api/v1${nested(1, 15)}&token=${suite.token}`
    const body = '{"stations":[1002],"note":"unknown members are ignored"}'

    for (const type of ['application/json', 'application/json;charset=UTF-8', 'text/plain'])
      assert.equal(
        (await suite.service.call(url, { method: 'POST', headers: { 'content-type': type }, body }))
          .status,
        200,
        type,
      )
    assert.equal((await suite.service.call(url, { method: 'POST', body })).status, 200)

    for (const [wrong, reason] of [
      [undefined, /the body must be an object: stations/],
      ['', /the body must be an object: stations/],
      ['{"stations":', /the body is not JSON/],
      ['[1002]', /the body must be an object: stations/],
      ['{}', /"stations" is missing/],
      ['{"stations":null}', /"stations" is missing/],
      ['{"stations":1002}', /"stations" must be a list of at most 1000, each a whole number/],
      ['{"stations":["x"]}', /"stations\[0\]" must be a whole number from 1 to 2147483647/],
      [`{"stations":[${'1,'.repeat(1000)}1]}`, /"stations" must be a list of at most 1000/],
    ] as const) {
      const headers = { 'content-type': 'application/json' }
      const response = await suite.service.call(url, { method: 'POST', headers, body: wrong })
      assert.equal(response.status, 400, String(wrong))
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order', async () => {
    const stranger = await suite.service.call(`/api/v1${nested(1, 15)}`, { method: 'POST' })
    assert.equal(stranger.status, 401)

    const riverToken = await suite.service.issueToken(2)
    for (const [path, stations, status, message] of [
      [nested(99, 98, ''), [1], 400, /"startTime" is missing/],
      [nested(99, 98), [9999], 404, /^There is no structure 99\.$/],
      [nested(1, 98), [9999], 404, /^There is no factor 98\.$/],
      [nested(1, 15), [9999], 404, /^There is no station 9999\.$/],
      [nested(1, 15), [1002, 1031], 404, /^Structure 1 has no station 1031 for factor 15\.$/],
      [nested(2, 17), [1002], 404, /^Structure 2 has no station 1002 for factor 17\.$/],
      [nested(1, 15), [1002], 403, /^You do not have access to structure 1\.$/],
      [nested(2, 17), [2001], 200, undefined],
    ] as const) {
      const response = await suite.service.post(path, riverToken, { stations })
      assert.equal(response.status, status, path)
      if (message !== undefined) assert.match(response.json().message, message)
    }
  })
})
