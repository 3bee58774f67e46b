import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ODD_KEYS } from '../_site.ts'
import { SERVED, WINDOW, shareRecords } from './_data.ts'

const { suite, theme, recordsOf } = shareRecords()

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

  test('invalid dates, other formats and a reversed window are a 400', async () => {
    for (const [query, reason] of [
      ['startTime=2026-02-30+12:00:00&endTime=2026-03-01+12:00:00', /"startTime" must be a date/],
      ['startTime=2026-03-01+12:00:00&endTime=2026-03-01+24:00:00', /"endTime" must be a date/],
      ['startTime=2026-03-01T12:00:00&endTime=2026-03-01+12:00:00', /"startTime" must be a local/],
      ['startTime=2026-03-01&endTime=2026-03-01+12:00:00', /"startTime" must be a local/],
      ['startTime=1772337600000&endTime=2026-03-01+12:00:00', /"startTime" must be a local/],
      ['startTime=2026-03-01+12:00:01&endTime=2026-03-01+12:00:00', /"startTime" lies after/],
      [
        'startTime=2026-03-01T04:00:00.000Z',
        /"startTime" must be a local date and time YYYY-MM-DD HH:mm:ss/,
      ],
      [`${WINDOW}&startTime=2026-03-01+12:01:00`, /"startTime" is given more than once/],
    ] as const) {
      const response = await theme(`stations=1001&${query}`)
      assert.equal(response.status, 400, query)
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order; a list is refused as a whole', async () => {
    const stranger = await suite.service.call('/api/v1/stations/theme/data?stations=x&limit=x')
    assert.equal(stranger.status, 401)

    const riverToken = await suite.service.issueToken(2)
    for (const [query, status, message] of [
      ['stations=9999&limit=0', 400, /"limit"/],
      ['stations=1001,x&limit=1', 400, /must be station ids joined by commas/],
      ['stations=1001,-1&limit=1', 400, /must be station ids/],
      ['stations=2001,1001,9999&limit=1', 404, /^There is no station 9999\.$/],
      ['stations=99999999999&limit=1', 400, /must be station ids/],
      ['stations=2001,1001&limit=1', 403, /^You do not have access to station 1001\.$/],
      ['stations=2001&limit=1', 200, undefined],
    ] as const) {
      const response = await theme(query, riverToken)
      assert.equal(response.status, status, query)
      if (message !== undefined) assert.match(response.json().message, message)
    }
  })
})
