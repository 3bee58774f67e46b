import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CELL, derivedSite } from '../_derived-site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'

let service: TestService
let token: string
let other: string
let key: string

before(async () => {
  service = await withService({ site: derivedSite(2), settings: { 'seal.everyMinutes': 0 } })
  token = await service.issueToken(1)
  other = await service.issueToken(2)
  key = await service.createKey()
})
after(() => service[Symbol.asyncDispose]())

const CUT = { quality: 'bad', reason: 'cable cut', origin: 'sender' }
const DAY = { startTime: '2026-01-05 00:00:00', endTime: '2026-01-05 23:59:59' }

const manage = (path: string, query: object, as = token): Promise<HttpResponse> =>
  service.call(`/manage/v1/${path}?${new URLSearchParams({ ...query, token: as })}`)

async function send(kind: 'theme' | 'raw', ...records: object[]): Promise<void> {
  const { accepted } = (await service.ingest(kind, key, { records })).json()
  assert.equal(accepted, records.length)
}

const ready = (time: string, strain: number, quality?: string): object => ({
  station: 12,
  time,
  values: { strain },
  quality,
})

const raw = (time: string, v: number, quality?: string): object => ({
  sensor: CELL,
  time,
  values: { v },
  quality,
})

describe('listStationRecords', () => {
  test('lists good, uncertain and bad values, and records without a good value', async () => {
    await send(
      'theme',
      ready('2026-01-05T08:00:00.250+08:00', 1),
      ready('2026-01-05 08:00:01', 2, 'uncertain: estimated'),
      ready('2026-01-05 08:00:02', 3, 'bad: cable cut'),
    )

    const { records } = (await manage('stations/12/records', DAY)).json()

    const doubted = { quality: 'uncertain', reason: 'estimated', origin: 'sender' }
    assert.deepEqual(records, [
      { time: '2026-01-05T08:00:00.250+08:00', values: { strain: 1 } },
      {
        time: '2026-01-05T08:00:01.000+08:00',
        values: { strain: 2 },
        quality: { strain: doubted },
      },
      {
        time: '2026-01-05T08:00:02.000+08:00',
        values: {},
        quality: { strain: { ...CUT, value: 3 } },
      },
    ])
  })

  test('lists page by page, each after the last record of the one before', async () => {
    const times = ['01:00.000', '01:00.001', '02:00.000', '03:00.000', '04:00.000']
    const instants = times.map((time) => `2026-01-04T08:${time}+08:00`)
    await send(
      'theme',
      ...instants.map((time, at) => ready(time, at, at % 2 === 0 ? 'bad' : undefined)),
    )
    const day = { startTime: '2026-01-04 00:00:00', endTime: '2026-01-04 23:59:59' }

    const found: string[] = []
    for (let page: object = { limit: 2 }; ;) {
      const { records } = (await manage('stations/12/records', { ...day, ...page })).json()
      found.push(...records.map(({ time }: { time: string }) => time))
      if (records.length < 2) break
      page = { limit: 2, after: found.at(-1) }
    }

    assert.deepEqual(found, instants)
  })
})

describe('listSensorRecords', () => {
  test('lists raw records, by its id in any case of letters', async () => {
    await send('raw', raw('2026-01-03 08:00:00', 5, 'bad: cable cut'))
    const day = { startTime: '2026-01-03 00:00:00', endTime: '2026-01-03 23:59:59' }

    const { records } = (await manage(`sensors/${CELL.toUpperCase()}/records`, day)).json()

    assert.deepEqual(records, [
      {
        time: '2026-01-03T08:00:00.000+08:00',
        values: {},
        quality: { v: { ...CUT, value: 5 } },
      },
    ])
  })

  test('refuses what does not exist, what one may not see, and an `after` that is no time', async () => {
    const nobody = CELL.replace(/^./, 'f')
    for (const [path, query, as, status] of [
      ['stations/99/records', DAY, token, 404],
      [`sensors/${nobody}/records`, DAY, token, 404],
      ['stations/12/records', DAY, other, 403],
      [`sensors/${CELL}/records`, DAY, other, 403],
      ['stations/12/records', { ...DAY, after: 'x' }, token, 400],
      ['stations/12/records', { startTime: DAY.endTime, endTime: DAY.startTime }, token, 400],
    ] as const)
      assert.equal((await manage(path, query, as)).status, status, path)
  })
})

const explainItem = async (station: number, time: string) => {
  const response = await manage(`stations/${station}/explain`, { time })
  return response.json().records[0]?.items[0]
}

describe('an explanation', () => {
  test('names a bad raw value as the reason why there is no value', async () => {
    await send('raw', raw('2026-01-02 08:00:00', 7, 'bad: cable cut'))

    const item = await explainItem(11, '2026-01-02 08:00:00')

    assert.equal(item.absent, `sensor ${CELL}: value of v is bad: cable cut`)
    assert.equal(item.stored, null)
    assert.equal('value' in item, false)
    assert.deepEqual(item.conversion.inputs[0], {
      name: 'value',
      sensor: CELL,
      sensorName: 'Cell 1',
      key: 'v',
      time: '2026-01-02T08:00:00.000+08:00',
      quality: { ...CUT, value: 7 },
    })
  })

  test('names an uncertain raw value, and what became of the value', async () => {
    await send('raw', raw('2026-01-02 09:00:00', 7, 'uncertain: estimated'))

    const item = await explainItem(11, '2026-01-02 09:00:00')

    assert.deepEqual([item.stored, item.value], [12, 12])
    assert.deepEqual(item.quality, {
      quality: 'uncertain',
      reason: 'uncertainInput',
      origin: 'input',
    })
    assert.deepEqual(item.conversion.inputs[0].quality, {
      quality: 'uncertain',
      reason: 'estimated',
      origin: 'sender',
    })
  })

  test('names the number of a stored bad value', async () => {
    await send('theme', ready('2026-01-02 10:00:00', 9, 'bad'))

    const item = await explainItem(12, '2026-01-02 10:00:00')

    assert.equal(item.stored, null)
    assert.deepEqual(item.quality, { ...CUT, reason: '', value: 9 })
  })
})

test('a bad value is a gap in a chart', async () => {
  await send('theme', ready('2026-01-01 10:00:00', 9, 'bad'), ready('2026-01-01 11:00:00', 1))

  const window = { startTime: '2026-01-01 10:00:00', endTime: '2026-01-01 11:59:59' }
  const series = (await manage('series', { stations: '12', points: '2', ...window })).json()

  const [{ times, items }] = series.stations
  assert.deepEqual(times, ['2026-01-01 11:00:00'])
  assert.deepEqual(items.strain.maximum, [1])
})

test('a recomputation finds no difference where a rule judged a value with an uncertain input', async () => {
  const config = "config: [{ thresholds: [{ level: 1, value: '(100,+)' }] }]"
  const range = 'range: { high: 150, level: 2 }'
  const site = derivedSite(2).replace(config, `$&\n                ${range}`)
  await using own = await withService({ site })
  const records = [raw('2026-01-02 08:00:00', 100, 'uncertain')]
  await own.ingest('raw', await own.createKey(), { records })

  const body = { startTime: '2026-01-02 00:00:00', endTime: '2026-01-02 23:59:59' }
  const response = await own.call('/manage/v1/structures/1/recompute', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await own.issueToken()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })

  const station = response.json().stations.find(({ id }: { id: number }) => id === 11)
  assert.equal(station.records, 1)
  assert.deepEqual([station.changed, station.added, station.removed], [0, 0, 0])
})
