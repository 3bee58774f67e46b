import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { IDS, ODD_KEYS, SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const MINUTE = 60_000
/** More than two pages of storage, and far more than is gathered before an answer streams. */
const MANY = 4_100

/** 2026-03-01 12:00:00 in Shanghai. */
const NOON = Date.UTC(2026, 2, 1, 4)

const shanghai = (instant: number): string =>
  new Date(instant + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

/** The records of station 1001: one a minute, of values that need every digit. */
const SENT = Array.from({ length: MANY }, (_, index) => ({
  instant: NOON + index * MINUTE,
  strain: Math.sin(index) * 1000,
  temperature: index / 7,
}))

const SERVED = SENT.map(({ instant, strain, temperature }) => ({
  strain,
  temperature,
  time: shanghai(instant),
}))

let service: TestService
let token: string
let riverToken: string

before(async () => {
  service = await withService({ site: SITE })
  token = await service.issueToken(1)
  riverToken = await service.issueToken(2)
  const key = await service.createKey()
  const records = [
    ...SENT.map(({ instant, ...values }) => ({ station: 1001, time: instant, values })),
    { station: 1002, time: '2026-03-01 12:00:00', values: { strain: 7 } },
    { station: 1041, time: '2026-03-01 12:00:00', values: { temperature: 300 } },
    { station: 2001, time: '2026-03-01 12:00:00', values: { waterLevel: 3.25 } },
    { station: 2001, time: '2026-03-01 12:00:00.500', values: { waterLevel: 3.5 } },
    { station: 2001, time: '2026-03-01 12:00:01', values: { waterLevel: 4 } },
  ]
  const report = await service.ingest('theme', key, { records })
  assert.equal(report.json().accepted, records.length)
  await service.ingest('raw', key, {
    records: [
      {
        sensor: IDS.wire,
        time: '2026-03-01 12:00:00',
        values: { frequency: 1600, temperature: 25 },
      },
      { sensor: IDS.gauge, time: '2026-03-01 12:00:00', values: { reading: 1.5 } },
    ],
  })
  await service.call('/ingest/v1/raw', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: `{"records":[{"sensor":"${IDS.riverGauge}","time":"2026-03-01 12:00:00","values":{"__proto__":5}}]}`,
  })
})

after(() => service[Symbol.asyncDispose]())

const theme = (query: string, own = token) => service.get(`/stations/theme/data?${query}`, own)
const recordsOf = async (query: string): Promise<any[]> =>
  (await theme(query)).json().stations[0].data

const WINDOW = 'startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:02:00'

const water = (time: unknown, waterLevel: number) => ({
  station: 2001,
  time,
  values: { waterLevel },
})

const nested = (structure: number, factor: number, query = WINDOW) =>
  `/structures/${structure}/factors/${factor}/stations/data?${query}`

describe('getThemeData', () => {
  test('a window gives its records oldest first, both ends included', async () => {
    const response = await theme(`stations=1001&${WINDOW}`)

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), {
      items: {
        strain: { name: '应变', unit: 'µε' },
        temperature: { name: '温度', unit: '°C' },
      },
      stations: [{ id: 1001, name: '应变-01', data: SERVED.slice(0, 3) }],
    })
  })

  test('a window of one second is that second whole, milliseconds included', async () => {
    const records = await recordsOf(
      'stations=2001&startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:00:00',
    )

    assert.deepEqual(records, [
      { waterLevel: 3.25, time: '2026-03-01 12:00:00' },
      { waterLevel: 3.5, time: '2026-03-01 12:00:00' },
    ])
  })

  test('the blank is + or %20, and the colon raw or encoded', async () => {
    for (const written of [
      'startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:02:00',
      'startTime=2026-03-01%2012:00:00&endTime=2026-03-01%2012:02:00',
      'startTime=2026-03-01+12%3A00%3A00&endTime=2026-03-01+12%3a02%3a00',
      'startTime=2026-03-01%2012%3A00%3A00&endTime=2026-03-01%2012%3A02%3A00',
      'startTime=%202026-03-01+12:00:00+&endTime=2026-03-01+12:02:00%0A',
    ])
      assert.deepEqual(await recordsOf(`stations=1001&${written}`), SERVED.slice(0, 3), written)
  })

  test('startTime, endTime and limit together: the window first, then its newest, newest first', async () => {
    assert.deepEqual(await recordsOf(`stations=1001&${WINDOW}&limit=2`), [SERVED[2], SERVED[1]])
    assert.deepEqual(
      await recordsOf(`stations=1001&${WINDOW}&limit=9`),
      SERVED.slice(0, 3).toReversed(),
    )
  })

  test('limit alone, up to a time and since a time, always newest first', async () => {
    const last = SERVED.at(-1)!

    assert.deepEqual(await recordsOf('stations=1001&limit=1'), [last])
    assert.deepEqual(await recordsOf('stations=1001&limit=1&startTime=&endTime='), [last])
    assert.deepEqual(await recordsOf('stations=1001&limit=2&endTime=2026-03-01+12:01:30'), [
      SERVED[1],
      SERVED[0],
    ])
    assert.deepEqual(
      await recordsOf(`stations=1001&limit=5&startTime=${SERVED.at(-2)!.time.replace(' ', '+')}`),
      SERVED.slice(-2).toReversed(),
    )
  })

  test('limit counts for each station', async () => {
    const { stations } = (await theme('stations=1001,1002,1041&limit=2')).json()

    assert.deepEqual(
      stations.map(({ data }: any) => data.length),
      [2, 1, 1],
    )
  })

  test('stations may hold duplicates, blanks and empty places, and keep their order', async () => {
    for (const written of [
      '1002%2C1001%2C1041',
      '1002,1001,1041',
      '+1002%20,%201001,1041+,1002,,1001,',
      '1002,1002,1001,1041,1041',
      '1002&stations=1001,1041',
    ]) {
      const response = await theme(`stations=${written}&limit=1`)
      assert.deepEqual(
        response.json().stations.map(({ id }: any) => id),
        [1002, 1001, 1041],
        written,
      )
    }
  })

  test('`stations` present but empty is a 200 without items and stations', async () => {
    for (const written of ['stations=', 'stations', 'stations=+', 'stations=,']) {
      const response = await theme(`${written}&${WINDOW}`)
      assert.equal(response.status, 200, written)
      assert.equal(response.text, '{"items":{},"stations":[]}', written)
    }
  })

  test('`stations` absent is a 400 that says what is missing', async () => {
    const response = await theme(WINDOW)

    assert.equal(response.status, 400)
    assert.deepEqual(response.json(), {
      name: 'FindError',
      message:
        'Data query failed: the query parameter "stations" is missing: it must be whole numbers joined by commas.',
    })
  })

  test('an item key of several factors has one entry, of the first station that has it', async () => {
    const strainFirst = (await theme('stations=1001,1041&limit=1')).json().items
    const airFirst = (await theme('stations=1041,1001&limit=1')).json().items

    assert.equal(strainFirst.temperature.unit, '°C')
    assert.equal(airFirst.temperature.unit, 'K')
    assert.deepEqual(Object.keys(airFirst), ['temperature', 'strain'])
  })

  test('keys are data in the item map too', async () => {
    const response = await theme('stations=2002&limit=1')

    const { items } = response.json()
    assert.deepEqual(Object.keys(items), [...ODD_KEYS])
    assert.deepEqual(Object.getOwnPropertyDescriptor(items, '__proto__')?.value, {
      name: 'Prototype',
      unit: 'a',
    })
  })

  test('a station without records has an empty list', async () => {
    assert.deepEqual(await recordsOf(`stations=1031&${WINDOW}`), [])
    assert.deepEqual(await recordsOf('stations=1031&limit=3'), [])
  })

  test('the same request gives the same bytes, and unknown parameters change none', async () => {
    const first = await theme(`stations=1001,1002&${WINDOW}`)
    const second = await theme(`stations=1001,1002&${WINDOW}&callback=x&_=17`)

    assert.deepEqual(second.bytes, first.bytes)
  })

  test('limit goes to 10,000; 10,001 and what is no whole number are a 400 that says so', async () => {
    assert.equal((await theme('stations=1002&limit=10000')).status, 200)
    for (const limit of ['10001', '0', '-1', '1.5', 'many', '1e9']) {
      const response = await theme(`stations=1002&limit=${limit}`)
      assert.equal(response.status, 400, limit)
      assert.deepEqual(response.json(), {
        name: 'FindError',
        message:
          'Data query failed: the query parameter "limit" must be a whole number from 1 to 10000.',
      })
    }
  })

  test('more than 1,000 stations are a 400 that says so', async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => index + 1)

    const response = await theme(`stations=${ids.join(',')}&limit=1`)
    const duplicates = await theme(`stations=${ids.map(() => 1002).join(',')}&limit=1`)

    assert.equal(response.status, 400)
    assert.match(response.json().message, /names 1001 stations, at most 1000 are allowed/)
    assert.equal(duplicates.status, 200)
  })

  test('without limit both ends of the window are needed', async () => {
    for (const [query, missing] of [
      ['', 'startTime'],
      ['&endTime=2026-03-01+12:00:00', 'startTime'],
      ['&startTime=2026-03-01+12:00:00', 'endTime'],
    ] as const) {
      const response = await theme(`stations=1001${query}`)
      assert.equal(response.status, 400)
      assert.match(response.json().message, new RegExp(`"${missing}" is missing: without "limit"`))
    }
  })

  test('times that no calendar has, other spellings and a turned window are a 400', async () => {
    for (const [query, reason] of [
      ['startTime=2026-02-30+12:00:00&endTime=2026-03-01+12:00:00', /"startTime" must be a date/],
      ['startTime=2026-03-01+12:00:00&endTime=2026-03-01+24:00:00', /"endTime" must be a date/],
      ['startTime=2026-03-01T12:00:00&endTime=2026-03-01+12:00:00', /"startTime" must be a local/],
      ['startTime=2026-03-01&endTime=2026-03-01+12:00:00', /"startTime" must be a local/],
      ['startTime=1772337600000&endTime=2026-03-01+12:00:00', /"startTime" must be a local/],
      ['startTime=2026-03-01+12:00:01&endTime=2026-03-01+12:00:00', /"startTime" lies after/],
      [`${WINDOW}&startTime=2026-03-01+12:01:00`, /"startTime" is given more than once/],
    ] as const) {
      const response = await theme(`stations=1001&${query}`)
      assert.equal(response.status, 400, query)
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order; a list is refused as a whole', async () => {
    const stranger = await service.call('/api/v1/stations/theme/data?stations=x&limit=x')
    assert.equal(stranger.status, 401)

    for (const [query, status, message] of [
      ['stations=9999&limit=0', 400, /"limit"/],
      ['stations=1001,x&limit=1', 400, /must be station ids joined by commas/],
      ['stations=1001,-1&limit=1', 400, /must be station ids/],
      ['stations=2001,1001,9999&limit=1', 404, /^There is no station 9999\.$/],
      ['stations=99999999999&limit=1', 400, /must be station ids/],
      ['stations=2001,1001&limit=1', 403, /^Station 1001 is not yours to see\.$/],
      ['stations=2001&limit=1', 200, undefined],
    ] as const) {
      const response = await theme(query, riverToken)
      assert.equal(response.status, status, query)
      if (message !== undefined) assert.match(response.json().message, message)
    }
  })
})

describe('a large answer', () => {
  const ALL = 'stations=1001&startTime=2026-01-01+00:00:00&endTime=2027-01-01+00:00:00'

  test('is streamed without a length, and equal to what was sent in', async () => {
    const response = await theme(ALL)

    assert.equal(response.headers['content-length'], undefined)
    assert.ok(response.bytes.length > 300_000)
    assert.deepEqual(response.json().stations[0].data, SERVED)
  })

  test('is the same bytes under gzip', async () => {
    const plain = await theme(ALL)
    const zipped = await service.get(`/stations/theme/data?${ALL}`, token, {
      'accept-encoding': 'br, gzip;q=0.5',
    })

    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.ok(zipped.bytes.length < plain.bytes.length / 2)
    assert.deepEqual(gunzipSync(zipped.bytes), plain.bytes)
  })

  test('newest first with a limit, it goes over the borders of pages without a gap or a repeat', async () => {
    const newest = SERVED.toReversed()

    for (const limit of [1999, 2000, 2001, 4000, 4001, MANY, 10_000])
      assert.deepEqual(
        await recordsOf(`stations=1001&limit=${limit}`),
        newest.slice(0, limit),
        String(limit),
      )
  })

  test('a window that is exactly a page, and one record more or less, is whole', async () => {
    for (const count of [1999, 2000, 2001, 4000]) {
      const [start, end] = [SERVED[1]!.time, SERVED[count]!.time].map(encodeURIComponent)
      const records = await recordsOf(`stations=1001&startTime=${start}&endTime=${end}`)
      assert.deepEqual(records, SERVED.slice(1, count + 1), String(count))
    }
  })

  test('of several stations it is whole', async () => {
    const { stations } = (await theme(`${ALL.replace('1001', '1002,1001,1041')}`)).json()

    assert.deepEqual(
      stations.map(({ data }: any) => data.length),
      [1, MANY, 1],
    )
  })

  test('has no gzip for a client that refuses it', async () => {
    for (const accepted of ['identity', 'br', 'gzip;q=0', '*;q=0']) {
      const response = await service.get(`/stations/theme/data?stations=1002&limit=1`, token, {
        'accept-encoding': accepted,
      })
      assert.equal(response.headers['content-encoding'], undefined, accepted)
      assert.equal(response.headers['vary'], 'accept-encoding')
      assert.equal(Number(response.headers['content-length']), response.bytes.length)
    }
  })
})

describe('local time', () => {
  test('one call over two time zones reads and serves each station’s own clock', async () => {
    const response = await theme(
      'stations=1002,2001&startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:00:00',
    )

    const [bridge, river] = response.json().stations
    assert.deepEqual(bridge.data, [{ strain: 7, time: '2026-03-01 12:00:00' }])
    assert.equal(river.data.length, 2)
    assert.equal(river.data[0].time, '2026-03-01 12:00:00')
  })

  test('in the hour that happens twice the earlier pass is meant', async () => {
    await using own = await withService({ site: SITE, now: () => Date.UTC(2027, 0, 1) })
    const key = await own.createKey()
    const reader = await own.issueToken()
    // On 2026-10-25 clocks in Berlin go from 03:00 back to 02:00, at 01:00 UTC.
    await own.ingest('theme', key, {
      records: [
        water('2026-10-25T00:30:00Z', 1),
        water('2026-10-25T01:30:00Z', 2),
        water('2026-10-25T02:30:00Z', 3),
      ],
    })

    const read = async (start: string, end: string): Promise<any[]> =>
      (
        await own.get(
          `/stations/theme/data?stations=2001&startTime=2026-10-25+${start}&endTime=2026-10-25+${end}`,
          reader,
        )
      ).json().stations[0].data

    assert.deepEqual(await read('00:00:00', '04:00:00'), [
      { waterLevel: 1, time: '2026-10-25 02:30:00' },
      { waterLevel: 2, time: '2026-10-25 02:30:00' },
      { waterLevel: 3, time: '2026-10-25 03:30:00' },
    ])
    assert.deepEqual(
      (await read('02:30:00', '02:30:00')).map(({ waterLevel }) => waterLevel),
      [1],
    )
    const replaced = await own.ingest('theme', key, { records: [water('2026-10-25 02:30:00', 9)] })
    assert.equal(replaced.json().replaced, 1)
    assert.equal((await read('02:30:00', '02:30:00'))[0].waterLevel, 9)
  })

  test('a time in the hour that is missing is the time after it', async () => {
    await using own = await withService({ site: SITE, now: () => Date.UTC(2027, 0, 1) })
    const key = await own.createKey()
    const reader = await own.issueToken()
    // On 2026-03-29 clocks in Berlin go from 02:00 on to 03:00.
    await own.ingest('theme', key, {
      records: [{ station: 2001, time: '2026-03-29 02:30:00', values: { waterLevel: 1 } }],
    })

    const read = async (start: string, end: string) =>
      (
        await own.get(
          `/stations/theme/data?stations=2001&startTime=2026-03-29+${start}&endTime=2026-03-29+${end}`,
          reader,
        )
      ).json().stations[0].data

    const expected = [{ waterLevel: 1, time: '2026-03-29 03:30:00' }]
    assert.deepEqual(await read('03:30:00', '03:30:00'), expected)
    assert.deepEqual(await read('02:30:00', '02:30:00'), expected)
    assert.deepEqual(await read('02:00:00', '02:59:59'), expected)
    assert.deepEqual(await read('01:00:00', '02:00:00'), [])
  })
})

describe('getStationsData', () => {
  test('theme and raw records come nested, the raw ones of the devices behind the stations', async () => {
    const response = await service.post(nested(1, 15), token, { stations: [1003, 1001, 1004] })

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

  test('one station, the same one twice and none are lists as well', async () => {
    const one = await service.post(nested(1, 15), token, { stations: [1002] })
    const twice = await service.post(nested(1, 15), token, { stations: [1002, 1002] })
    const none = await service.post(nested(1, 15), token, { stations: [] })

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

  test('a large answer is whole, page after page', async () => {
    const response = await service.post(
      nested(1, 15, 'startTime=2026-01-01+00:00:00&endTime=2027-01-01+00:00:00'),
      token,
      { stations: [1001] },
    )

    assert.equal(response.headers['content-length'], undefined)
    assert.deepEqual(
      response.json().theme.stations[0].data,
      SERVED.map(({ time, ...values }) => ({ values, time })),
    )
  })

  test('of a station without conversions the raw records come, odd keys and all', async () => {
    const response = await service.post(nested(2, 18), token, { stations: [2003] })

    const data = '[{"values":{"__proto__":5},"time":"2026-03-01 12:00:00"}]'
    const sensor = `{"id":"${IDS.riverGauge}","name":"R-01","data":${data}}`
    const items = '{"__proto__":{"name":"Prototype","unit":"a"}}'
    assert.ok(
      response.text.endsWith(`"raw":{"items":${items},"sensors":[${sensor}]}}`),
      response.text,
    )
    assert.deepEqual(response.json().theme.stations[0].data, [])
  })

  test('its body is JSON under any Content-Type, or a 400 that says what it must be', async () => {
    const url = `/api/v1${nested(1, 15)}&token=${token}`
    const body = '{"stations":[1002],"note":"unknown members are ignored"}'

    for (const type of ['application/json', 'application/json;charset=UTF-8', 'text/plain'])
      assert.equal(
        (await service.call(url, { method: 'POST', headers: { 'content-type': type }, body }))
          .status,
        200,
        type,
      )
    assert.equal((await service.call(url, { method: 'POST', body })).status, 200)

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
      const response = await service.call(url, { method: 'POST', headers, body: wrong })
      assert.equal(response.status, 400, String(wrong))
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order', async () => {
    const stranger = await service.call(`/api/v1${nested(1, 15)}`, { method: 'POST' })
    assert.equal(stranger.status, 401)

    for (const [path, stations, status, message] of [
      [nested(99, 98, ''), [1], 400, /"startTime" is missing/],
      [nested(99, 98), [9999], 404, /^There is no structure 99\.$/],
      [nested(1, 98), [9999], 404, /^There is no factor 98\.$/],
      [nested(1, 15), [9999], 404, /^There is no station 9999\.$/],
      [nested(1, 15), [1002, 1031], 404, /^Structure 1 has no station 1031 for factor 15\.$/],
      [nested(2, 17), [1002], 404, /^Structure 2 has no station 1002 for factor 17\.$/],
      [nested(1, 15), [1002], 403, /^Structure 1 is not yours to see\.$/],
      [nested(2, 17), [2001], 200, undefined],
    ] as const) {
      const response = await service.post(path, riverToken, { stations })
      assert.equal(response.status, status, path)
      if (message !== undefined) assert.match(response.json().message, message)
    }
  })
})
