import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import { ODD_KEYS } from '../_site.ts'
import { assertSeries, HOUR, shareSeries, STRAIN, WATER, windowOf } from './_series.ts'

const { suite, get, seriesOf } = shareSeries()

const getWith = (authorization: string) =>
  suite.service.call(`/manage/v1/series?stations=1002&${NOON.replaceAll(' ', '+')}`, {
    headers: { authorization },
  })

const readFinely = (start: string, end: string) =>
  seriesOf(`stations=1002&${windowOf(start, end)}&items=strain&points=10000`)

const MARCH = windowOf('2026-03-01 00:00:00', '2026-03-31 23:59:59')

const NOON = windowOf('2026-03-01 12:00:00', '2026-03-01 12:00:09')

describe('getSeries', () => {
  test('records of a fast logger have buckets of their own, with milliseconds', async () => {
    const second = windowOf('2026-03-01 12:00:00', '2026-03-01 12:00:00')
    const fine = await seriesOf(`stations=1002&${second}&items=strain`)
    const coarse = await seriesOf(`stations=1002&${second}&items=strain&points=10`)
    const whole = await seriesOf(`stations=1002&${second}&items=strain&points=9`)

    assert.equal(fine.width, 0.001)
    assert.deepEqual(fine.times, ['2026-03-01 12:00:00', '2026-03-01 12:00:00.999'])
    assert.deepEqual(fine.items.strain.mean, [7, 8])
    assert.equal(coarse.width, 0.1)
    assert.deepEqual(coarse.times, ['2026-03-01 12:00:00', '2026-03-01 12:00:00.900'])
    assert.deepEqual([whole.width, whole.times.length], [0.2, 2])
  })

  test('a window of instants is that of local times, and its times have their offset', async () => {
    const local = await seriesOf(`stations=1002&${NOON}&points=10`)
    const utc = await seriesOf(
      `stations=1002&${windowOf('2026-03-01T04:00:00.000Z', '2026-03-01T04:00:09.000Z')}&points=10`,
    )
    const other = await seriesOf(
      `stations=1002&${windowOf('2026-03-01T09:00:00%2B05:00', '2026-03-01 12:00:09')}&points=10`,
    )

    assert.deepEqual(utc.times, ['2026-03-01T12:00:00.000+08:00', '2026-03-01T12:00:01.000+08:00'])
    assert.deepEqual({ ...utc, times: local.times }, local)
    assert.deepEqual(other, utc)
  })

  test('a window of instants ends at its millisecond', async () => {
    const late = await readFinely('2026-03-01T04:00:00.001Z', '2026-03-01T04:00:00.999Z')
    const early = await readFinely('2026-03-01 12:00:00', '2026-03-01T04:00:00.998Z')

    assert.deepEqual(late.times, ['2026-03-01T12:00:00.999+08:00'])
    assert.deepEqual(late.items.strain.mean, [8])
    assert.deepEqual(early.times, ['2026-03-01 12:00:00'])
    assert.deepEqual(early.items.strain.mean, [7])
  })

  test('an offset chooses one of the hours that come twice', async () => {
    for (const [offset, from] of [
      ['+02:00', Date.UTC(2025, 9, 26, 0)],
      ['+01:00', Date.UTC(2025, 9, 26, 1)],
    ] as const) {
      const [start, end] = [`2025-10-26T02:00:00${offset}`, `2025-10-26T02:59:59${offset}`]
      const window = windowOf(encodeURIComponent(start), encodeURIComponent(end))
      const { times, items } = await seriesOf(`stations=2001&${window}&points=3600`)

      const sent = WATER.filter(({ time }) => time >= from && time < from + HOUR)
      assert.ok(sent.length > 1)
      assert.deepEqual(
        items.waterLevel.mean,
        sent.map(({ values }) => values['waterLevel']),
      )
      assert.ok(times.every((time: string) => time.endsWith(offset)))
    }
  })

  test('a station has its times, and of each item minimum, mean, maximum and count', async () => {
    const response = await get(`stations=1002&${NOON}&points=10`)

    assert.deepEqual(response.json(), {
      points: 10,
      stations: [
        {
          id: 1002,
          name: '应变-02',
          width: 1,
          times: ['2026-03-01 12:00:00', '2026-03-01 12:00:01'],
          items: {
            strain: {
              name: '应变',
              unit: 'µε',
              minimum: [7, 9.5],
              mean: [7.5, 9.5],
              maximum: [8, 9.5],
              count: [2, 1],
            },
            temperature: {
              name: '温度',
              unit: '°C',
              minimum: [null, null],
              mean: [null, null],
              maximum: [null, null],
              count: [0, 0],
            },
          },
        },
      ],
    })
  })

  for (const points of [1, 2, 7, 31, 100, 745, 1_000, 1_489, 3_000, 10_000])
    test(`${points} points of a month are what its records give`, async () => {
      await assertSeries(seriesOf, {
        sent: STRAIN,
        name: 'Asia/Shanghai',
        start: '2026-03-01 00:00:00',
        end: '2026-03-31 23:59:59',
        points,
      })
    })

  for (const points of [1, 2, 5, 12, 24, 30, 100, 700, 3_500])
    test(`${points} points over the hour that comes twice are what the records give`, async () => {
      await assertSeries(seriesOf, {
        sent: WATER,
        name: 'Europe/Berlin',
        start: '2025-10-25 17:31:07',
        end: '2025-10-26 20:08:59',
        points,
      })
    })

  test('a day has 25 hours where an hour comes twice, and its times come twice', async () => {
    const day = windowOf('2025-10-26 00:00:00', '2025-10-26 23:59:59')

    const hours = await seriesOf(`stations=2001&${day}&points=25`)
    const whole = await seriesOf(`stations=2001&${day}&points=1`)

    assert.equal(hours.width, 3600)
    assert.equal(hours.times.length, 25)
    assert.equal(hours.times.filter((time: string) => time === '2025-10-26 02:00:00').length, 2)
    assert.equal(whole.width, 86_400)
    assert.deepEqual(whole.times, ['2025-10-26 00:00:00'])
    const { count } = hours.items.waterLevel
    const total = count.reduce((sum: number, one: number) => sum + one)
    assert.deepEqual(whole.items.waterLevel.count, [total])
  })

  test('the ends of a window cut its first and last bucket, to the second', async () => {
    const records = STRAIN.filter(({ values }) => 'strain' in values)
    const clock = zone('Asia/Shanghai')
    for (const [first, last] of [
      [10, 400],
      [333, 334],
      [500, 500],
    ] as const) {
      const [start, end] = [first, last].map((at) => clock.toLocal(records[at]!.time)) as [
        string,
        string,
      ]
      for (const points of [1, 3, 50, 10_000]) {
        const series = await assertSeries(seriesOf, {
          sent: STRAIN,
          name: 'Asia/Shanghai',
          start,
          end,
          points,
        })
        const { count } = series.items.strain
        const total = count.reduce((sum: number, one: number) => sum + one)
        assert.equal(total, last - first + 1)
        assert.ok(series.times[0] >= start && series.times.at(-1) <= `${end}.999`)
      }
    }
  })

  test('one point is the whole window, named by its start', async () => {
    const series = await seriesOf(
      `stations=1002&${windowOf('0001-01-01 00:00:00', '9999-12-31 23:59:59')}&points=1`,
    )
    const midnight = await seriesOf(
      `stations=1001&${windowOf('2026-03-01 22:30:00', '2026-03-02 01:30:00')}&points=1`,
    )

    assert.deepEqual(series.times, ['0001-01-01 00:00:00'])
    assert.deepEqual(series.items.strain.count, [3])
    assert.deepEqual(series.items.temperature.mean, [3])
    assert.deepEqual(midnight.times, ['2026-03-01 22:30:00'])
  })

  test('buckets without records are left out: a gap stays a gap', async () => {
    const series = await seriesOf(`stations=1001&${MARCH}&points=744`)

    const hours = series.times.map((time: string) => Date.parse(`${time.replace(' ', 'T')}Z`))
    const steps = hours.slice(1).map((hour: number, at: number) => (hour - hours[at]!) / HOUR)
    assert.ok(Math.max(...steps) >= 48)
    assert.ok(Math.min(...steps) === 1)
  })

  test('a window without records, and a station that never had any, has no times', async () => {
    const empty = { minimum: [], mean: [], maximum: [], count: [] }
    for (const points of [1, 1000, 10_000]) {
      const [early, never] = (
        await get(
          `stations=1001,1041&${windowOf('2020-01-01 00:00:00', '2020-12-31 00:00:00')}&points=${points}`,
        )
      ).json().stations

      assert.deepEqual(early.times, [])
      assert.deepEqual(early.items.strain, { name: '应变', unit: 'µε', ...empty })
      assert.deepEqual(never.times, [])
      assert.deepEqual(never.items, {
        temperature: { name: 'Air temperature', unit: 'K', ...empty },
      })
    }
  })

  test('a window within a skipped hour is empty', async () => {
    const series = await seriesOf(
      `stations=2001&${windowOf('2026-03-29 02:30:00', '2026-03-29 03:00:00')}`,
    )

    assert.deepEqual([series.width, series.times], [1, []])
  })

  test('points are 1,000 when left out; stations of one call have widths of their own', async () => {
    const { points, stations } = (
      await get(`stations=1001,2001&${windowOf('2025-10-26 00:00:00', '2025-10-26 23:59:59')}`)
    ).json()
    const hours = (
      await get(
        `stations=1001,2001&${windowOf('2025-10-26 00:00:00', '2025-10-26 23:59:59')}&points=24`,
      )
    ).json().stations

    assert.equal(points, 1_000)
    assert.deepEqual(
      stations.map(({ id, width }: any) => [id, width]),
      [
        [1001, 120],
        [2001, 120],
      ],
    )
    // The day has an hour more in Berlin.
    assert.deepEqual(
      hours.map(({ width }: any) => width),
      [3_600, 7_200],
    )
  })

  test('`items` narrows each station to those that it has', async () => {
    const { stations } = (await get(`stations=1002,2001&${NOON}&items= strain ,,waterLevel`)).json()
    const one = await seriesOf(`stations=1002&${NOON}&items=strain&points=1`)
    const rare = await seriesOf(`stations=1001&${MARCH}&items=temperature&points=10000`)
    const all = await seriesOf(`stations=1002&${NOON}&items=`)

    assert.deepEqual(
      stations.map(({ items }: any) => Object.keys(items)),
      [['strain'], ['waterLevel']],
    )
    assert.deepEqual(one.items.strain.count, [3])
    assert.ok(rare.items.temperature.count.every((count: number) => count > 0))
    assert.deepEqual(Object.keys(all.items), ['strain', 'temperature'])
  })

  test('buckets that have none of the items asked for are left out', async () => {
    const day = windowOf('2026-03-01 12:00:00', '2026-03-01 12:00:30')

    const both = await seriesOf(`stations=1002&${day}&points=31`)
    const cold = await seriesOf(`stations=1002&${day}&points=31&items=temperature`)

    assert.equal(both.times.length, 3)
    assert.deepEqual(both.items.temperature.mean, [null, null, 3])
    assert.deepEqual(cold.times, ['2026-03-01 12:00:10'])
    const spring = windowOf('2026-03-01 00:00:00', '2026-04-30 00:00:00')
    const two = await seriesOf(`stations=2002&${spring}&items=__proto__,应变`)
    assert.deepEqual(two.times, ['2026-03-01 12:00:00'])
  })

  test('keys are data, __proto__ too', async () => {
    for (const points of [1, 10_000]) {
      const { items } = await seriesOf(
        `stations=2002&${windowOf('2026-03-01 00:00:00', '2026-03-01 23:59:59')}&points=${points}`,
      )

      assert.deepEqual(Object.keys(items), [...ODD_KEYS])
      ODD_KEYS.forEach((key, at) => {
        const item = Object.getOwnPropertyDescriptor(items, key)!.value
        assert.deepEqual([item.mean, item.count], [[at], [1]], key)
      })
    }
    const { items } = await seriesOf(`stations=2002&${NOON}&items=__proto__`)
    assert.deepEqual(Object.keys(items), ['__proto__'])
  })

  test('stations may hold duplicates and blanks; present but empty they are none', async () => {
    const response = await get(`stations= 1002 ,1001,,1002&${NOON}`)
    const none = await get(`stations=&${NOON}&items=whatever`)

    assert.deepEqual(
      response.json().stations.map(({ id }: any) => id),
      [1002, 1001],
    )
    assert.equal(none.text, '{"points":1000,"stations":[]}')
  })

  test('what is wrong with a parameter is a 400 that names it', async () => {
    const ids = Array.from({ length: 51 }, (_, at) => at + 1)
    for (const [query, reason] of [
      [NOON, /"stations" is missing: it must be whole numbers joined by commas/],
      [`stations=1001,x&${NOON}`, /"stations" must be station ids joined by commas/],
      [`stations=-1&${NOON}`, /"stations" must be station ids/],
      [`stations=${ids.join(',')}&${NOON}`, /names 51 stations, at most 50 are allowed/],
      ['stations=1001&endTime=2026-03-01 12:00:00', /"startTime" is missing/],
      ['stations=1001&startTime=2026-03-01 12:00:00', /"endTime" is missing/],
      [
        `stations=1001&${windowOf('2026-02-30 12:00:00', '2026-03-01 12:00:00')}`,
        /"startTime" must/,
      ],
      [
        `stations=1001&${windowOf('2026-03-01 12:00:00', '2026-03-01')}`,
        /"endTime" must be a local/,
      ],
      [
        `stations=1001&${windowOf('2026-03-01 12:00:01', '2026-03-01 12:00:00')}`,
        /"startTime" lies after "endTime"/,
      ],
      [
        `stations=9999&${windowOf('2026-03-01T12:00:01Z', '2026-03-01T12:00:01.5%2B08:00')}`,
        /"startTime" lies after "endTime"/,
      ],
      [
        `stations=1001&${windowOf('2026-03-01T04:00:01Z', '2026-03-01 12:00:00')}`,
        /"startTime" lies after "endTime"/,
      ],
      [
        `stations=1001&${windowOf('2026-02-30T12:00:00Z', '2026-03-01 12:00:00')}`,
        /"startTime" must be a date and time that exists/,
      ],
      [
        `stations=1001&${windowOf('2026-03-01T12:00:00 08:00', '2026-03-01 12:00:00')}`,
        /"startTime" must be a local date and time .* or an instant/,
      ],
      ...['0', '-1', '1.5', '10001', 'many'].map(
        (points) =>
          [
            `stations=1001&${NOON}&points=${points}`,
            /"points" must be a whole number from 1 to 10000/,
          ] as const,
      ),
      [`stations=1001&${NOON}&points=1&points=2`, /"points" is given more than once/],
    ] as const) {
      const response = await get(query)
      assert.equal(response.status, 400, query)
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, /^Series query failed: /)
      assert.match(response.json().message, reason)
    }
    assert.equal((await get(`stations=1001&${NOON}&points=10000`)).status, 200)
  })

  test('401, 400, 404, 403 in this order; a list is refused as a whole', async () => {
    const stranger = await suite.service.call('/manage/v1/series?stations=x')
    assert.equal(stranger.status, 401)

    const riverToken = await suite.service.issueToken(2)
    for (const [query, status, message] of [
      ['stations=9999&points=0', 400, /"points"/],
      ['stations=2001,1001,9999', 404, /^There is no station 9999\.$/],
      [
        'stations=2001&items=waterLevel,depth',
        404,
        /^None of the stations has item 2 of "items"\.$/,
      ],
      ['stations=1001&items=waterLevel', 404, /^None of the stations has item 1 of "items"\.$/],
      ['stations=2001,1001', 403, /^You do not have access to station 1001\.$/],
      ['stations=1001&items=strain', 403, /^You do not have access to station 1001\.$/],
      ['stations=2001', 200, undefined],
    ] as const) {
      const response = await get(`${query}&${NOON}`, riverToken)
      assert.equal(response.status, status, query)
      if (message !== undefined) assert.match(response.json().message, message)
    }
  })

  test('the token may be in a header, and an ingest key is refused', async () => {
    assert.equal((await getWith(`Bearer ${suite.token}`)).status, 200)
    assert.equal((await getWith('Bearer plk_test_test')).status, 401)
  })
})
