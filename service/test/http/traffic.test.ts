import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { shareService } from '../_suite.ts'

/** More than a page of storage, two and two in the same second. */
const MANY = 2_500

const DAY = 'startTime=2026-03-01+00:00:00&endTime=2026-03-01+23:59:59'

/** Vehicle by vehicle, an hour before those that are counted. */
const VEHICLES = [
  { license: '鄂A·12345', load: 49.5, overload: true, axleCount: 6, direction: 0, lane: '1' },
  { license: '鄂A·99999', load: 12, overload: false, axleCount: 2, direction: 1, lane: '2' },
  { license: '', load: 40, overload: false, axleCount: 5, direction: 0, lane: '3' },
  { license: 'B%_1', load: 40.1, overload: true, axleCount: 5, direction: 0, lane: '1' },
].map((vehicle, index) => ({
  ...vehicle,
  axleLoad: '7,8,9',
  time: `2026-03-01 08:00:0${index}`,
}))

const suite = shareService({ site: SITE }, async ({ service, key }) => {
  const many = Array.from({ length: MANY }, (_, index) => ({
    structure: 2,
    time: Date.UTC(2026, 2, 1, 8) + Math.floor(index / 2) * 1000,
    id: String(index),
    license: `M${index}`,
    lane: '1',
    direction: 0,
    axleCount: 2,
    load: index,
  }))
  await service.ingest('traffic', key, {
    records: [...VEHICLES.map((vehicle) => ({ structure: 1, ...vehicle })), ...many],
  })
})

const flow = (query: string, structure: number | string = 1, own = suite.token) =>
  suite.service.get(`/structures/${structure}/traffic-flow?${query}`, own)
const platesOf = async (query: string): Promise<string[]> =>
  (await flow(`${DAY}${query}`)).json().data.map(({ license }: any) => license)

const [first, second, third, fourth] = VEHICLES.map(({ license }) => license)

describe('getTrafficFlow', () => {
  test('vehicles come oldest first, with the names and units of their members', async () => {
    const response = await flow(DAY)

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), {
      items: {
        license: { name: '车牌' },
        time: { name: 'Time' },
        lane: { name: 'Lane' },
        direction: { name: 'Direction' },
        axleCount: { name: 'Axle count' },
        load: { name: 'Weight', unit: 't' },
        axleLoad: { name: 'Axle weight', unit: 'kg' },
        overload: { name: 'Overload' },
      },
      data: VEHICLES,
    })
  })

  test('both ends of the window belong to it', async () => {
    const response = await flow('startTime=2026-03-01+08:00:01&endTime=2026-03-01+08:00:02')

    assert.deepEqual(response.json().data, VEHICLES.slice(1, 3))
  })

  test('`overload` selects the overloaded, or the others, in several spellings', async () => {
    for (const spelling of ['true', '1', 'TRUE'])
      assert.deepEqual(await platesOf(`&overload=${spelling}`), [first, fourth], spelling)
    for (const spelling of ['false', '0'])
      assert.deepEqual(await platesOf(`&overload=${spelling}`), [second, third], spelling)
    assert.equal((await platesOf('&overload=')).length, 4)
  })

  test('`license` matches any part of the plate, and no character is a pattern', async () => {
    const part = encodeURIComponent('鄂A')

    assert.deepEqual(await platesOf(`&license=${part}`), [first, second])
    assert.deepEqual(await platesOf('&license=99'), [second])
    assert.deepEqual(await platesOf('&license=%25_'), [fourth])
    assert.deepEqual(await platesOf('&license=%25'), [fourth])
    assert.deepEqual(await platesOf('&license='), [first, second, third, fourth])
    assert.deepEqual(await platesOf('&license=nobody'), [])
  })

  test('`loadFloor` is the least weight, itself included', async () => {
    assert.deepEqual(await platesOf('&loadFloor=40'), [first, third, fourth])
    assert.deepEqual(await platesOf('&loadFloor=40.05'), [first, fourth])
    assert.equal((await platesOf('&loadFloor=-1e3')).length, 4)
  })

  test('the filters narrow together', async () => {
    assert.deepEqual(await platesOf('&overload=true&loadFloor=40.05&license=B'), [fourth])
    assert.deepEqual(await platesOf('&overload=false&loadFloor=45'), [])
  })

  test('more than a page is whole, with all vehicles of one second', async () => {
    const { data } = (await flow(DAY, 2)).json()
    const filtered = (await flow(`${DAY}&loadFloor=100`, 2)).json()

    assert.equal(data.length, MANY)
    assert.equal(new Set(data.map(({ license }: any) => license)).size, MANY)
    const times = data.map(({ time }: any) => time)
    assert.deepEqual(times, times.toSorted())
    assert.equal(times[0], '2026-03-01 09:00:00')
    assert.equal(filtered.data.length, MANY - 100)
  })

  test('a structure without traffic has the names and no records', async () => {
    const response = await flow(DAY, 3)

    assert.equal(response.json().items.load.unit, 't')
    assert.deepEqual(response.json().data, [])
  })

  test('the parameters are checked by name', async () => {
    for (const [query, reason] of [
      ['', /"startTime" is missing: it must be a local date and time/],
      ['startTime=2026-03-01+00:00:00', /"endTime" is missing/],
      [`${DAY}&overload=maybe`, /"overload" must be true or false/],
      [`${DAY}&loadFloor=heavy`, /"loadFloor" must be a number/],
      [`${DAY}&loadFloor=1e999`, /"loadFloor" must be a number/],
      ['startTime=2026-03-02+00:00:00&endTime=2026-03-01+00:00:00', /lies after "endTime"/],
    ] as const) {
      const response = await flow(query)
      assert.equal(response.status, 400, query)
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, /^Traffic flow query failed: /)
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order', async () => {
    const river = await suite.service.issueToken(2)

    assert.equal((await suite.service.call('/api/v1/structures/x/traffic-flow')).status, 401)
    assert.equal((await flow('', 99, river)).status, 400)
    assert.equal((await flow(DAY, 'x', river)).status, 400)
    assert.equal((await flow(DAY, 99, river)).status, 404)
    assert.equal((await flow(DAY, 1, river)).status, 403)
    assert.equal((await flow(DAY, 2, river)).status, 200)
  })

  test('no plate reaches the log', async () => {
    await platesOf('&license=99999')

    assert.ok(!suite.service.logged.join('').includes('99999'))
  })
})

const count = (query: string, structure = 1, token = suite.token) =>
  suite.service.call(`/manage/v1/structures/${structure}/traffic/counts?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })

const vehicleAt = (time: string, id: string) => ({
  structure: 2,
  id,
  time: Date.parse(time),
  lane: 'A',
  direction: 0,
  axleCount: 2,
  load: 1,
})

describe('countTraffic', () => {
  test('vehicles are counted by local hour, lane and weight class', async () => {
    const response = await count(`${DAY}&classes=12,40`)

    assert.equal(response.status, 200, response.text)
    const hour = '2026-03-01 08:00:00'
    assert.deepEqual(response.json(), {
      loadUnit: 't',
      classes: [
        { from: 0, below: 12 },
        { from: 12, below: 40 },
        { from: 40, below: null },
      ],
      total: 4,
      overloads: 2,
      counts: [
        { hour, lane: '1', class: 2, count: 2, overloads: 2 },
        { hour, lane: '2', class: 1, count: 1, overloads: 0 },
        { hour, lane: '3', class: 2, count: 1, overloads: 0 },
      ],
    })
    const { classes } = (await count(DAY)).json()
    assert.deepEqual(
      classes.map(({ from }: { from: number }) => from),
      [0, 3.5, 12, 18, 26, 40, 49],
    )
  })

  test('the hour that clocks repeat is one; a window ends where it says', async () => {
    await suite.service.ingest('traffic', suite.key, {
      records: [
        vehicleAt('2025-10-26T00:30:00Z', 'a'),
        vehicleAt('2025-10-26T01:30:00Z', 'b'),
        vehicleAt('2025-10-26T02:00:00Z', 'c'),
        vehicleAt('2025-10-27T02:00:00Z', 'd'),
      ],
    })

    const window = 'startTime=2025-10-26+00:00:00&endTime=2025-10-27+02:59:59'
    const { counts } = (await count(window, 2)).json()

    assert.deepEqual(
      counts.map((one: any) => [one.hour, one.count]),
      [
        ['2025-10-26 02:00:00', 2],
        ['2025-10-26 03:00:00', 1],
      ],
    )
  })

  test('takes 366 local days, which are longer where clocks go back twice', async () => {
    const window = 'startTime=2024-10-26+00:00:00&endTime=2025-10-26+23:59:59'

    assert.equal((await count(window, 2)).status, 200)
  })

  test('refuses classes that do not ascend, a window over a year, and structures without access', async () => {
    const river = await suite.service.issueToken(2)
    const responses = [
      await count(`${DAY}&classes=40,12`),
      await count(`${DAY}&classes=0`),
      await count('startTime=2024-01-01+00:00:00&endTime=2026-01-01+00:00:00'),
      await count('startTime=2024-01-01+00:00:00'),
      await count(DAY, 99),
      await count(DAY, 1, river),
    ]

    assert.deepEqual(
      responses.map(({ status }) => status),
      [400, 400, 400, 400, 404, 403],
    )
  })
})
