import assert from 'node:assert/strict'
import { zone } from '../../src/domain/time/local-time.ts'
import { ODD_KEYS, SITE } from '../_site.ts'
import { shareService } from '../_suite.ts'

const MINUTE = 60_000

export const HOUR = 60 * MINUTE

const DAY = 24 * HOUR

type Values = Record<string, number>

type Sent = { station: number; time: number; values: Values }

/** Numbers that look like measurements, the same in every run. */
function* noise(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 48_271) % 2_147_483_647
    yield state / 2_147_483_647
  }
}

/** Records at random distances; a temperature only now and then, and a gap of two days. */
function measurements(station: number, from: number, count: number, keys: string[]): Sent[] {
  const random = noise(station)
  const sent: Sent[] = []
  let time = from
  for (let at = 0; at < count; at++) {
    time += Math.ceil(random.next().value * 20 * MINUTE) + (at === 900 ? 2 * DAY : 0)
    const values: Values = {}
    keys.forEach((key, place) => {
      const value = random.next().value * 1000 - 500
      if (place === 0 || at % 3 === 0)
        values[key] = at % 7 === 0 ? value : Math.round(value + 500) / 100
    })
    sent.push({ station, time, values })
  }
  return sent
}

/** Midnight in Shanghai, and noon in Berlin two days before an hour comes twice there. */
export const STRAIN = measurements(1001, Date.UTC(2026, 1, 28, 16), 3_000, [
  'strain',
  'temperature',
])

export const WATER = measurements(2001, Date.UTC(2025, 9, 24, 10), 1_200, ['waterLevel'])

/** A service with records in two time zones for the tests of a file, and how they read it. */
export function shareSeries() {
  const suite = shareService({ site: SITE }, async ({ service, key }) => {
    const records: { station: number; time: number | string; values: Values }[] = [
      ...STRAIN,
      ...WATER,
      { station: 1002, time: '2026-03-01 12:00:00', values: { strain: 7 } },
      { station: 1002, time: '2026-03-01 12:00:00.999', values: { strain: 8 } },
      { station: 1002, time: '2026-03-01 12:00:01', values: { strain: 9.5 } },
      { station: 1002, time: '2026-03-01 12:00:10', values: { temperature: 3 } },
      { station: 2002, time: '2026-04-01 12:00:00', values: { constructor: 5 } },
    ]
    const report = await service.ingest('theme', key, { records })
    assert.equal(report.json().accepted, records.length)
    const odd = ODD_KEYS.map((name, at) => `${JSON.stringify(name)}:${at}`).join(',')
    await service.call('/ingest/v1/theme', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: `{"records":[{"station":2002,"time":"2026-03-01 12:00:00","values":{${odd}}}]}`,
    })
  })

  const get = (query: string, own = suite.token) =>
    suite.service.call(`/manage/v1/series?${query.replaceAll(' ', '+')}&token=${own}`)

  const seriesOf = async (query: string): Promise<any> => {
    const response = await get(query)
    assert.equal(response.status, 200, response.text)
    return response.json().stations[0]
  }

  return { suite, get, seriesOf }
}

export const windowOf = (start: string, end: string) => `startTime=${start}&endTime=${end}`

type Bucket = { values: Map<string, number[]>; start: number; text: string }

/**
 * What the interface says of a window, from the records one by one.
 *
 * The clocks of these tests are put back once at most, and by an hour.
 */
function expected(sent: readonly Sent[], start: string, end: string, width: number, name: string) {
  const clock = zone(name)
  const from = clock.toInstant(start)!
  const to = clock.toInstant(end)! + 999
  const buckets = new Map<string, Bucket>()
  for (const { time, values } of sent) {
    if (time < from || time > to) continue
    const local = clock.toLocal(time)
    const wall = Date.parse(`${local.replace(' ', 'T')}Z`) + (time % 1000)
    const monday = Date.parse('0001-01-01T00:00:00Z')
    const begin = new Date(wall - ((wall - monday) % Math.round(width * 1000)))
    const text = begin.toISOString().slice(0, 23).replace('T', ' ').replace('.000', '')
    const isSecondPass = width <= 3600 && clock.toInstant(local)! < Math.floor(time / 1000) * 1000
    const id = `${text} ${isSecondPass}`
    const start = clock.toInstant(text.slice(0, 19))! + begin.getUTCMilliseconds()
    const bucket = buckets.get(id) ?? { values: new Map(), start, text }
    if (isSecondPass) bucket.start = time
    buckets.set(id, bucket)
    for (const [key, value] of Object.entries(values))
      bucket.values.set(key, [...(bucket.values.get(key) ?? []), value])
  }
  const found = [...buckets]
  const columns = (key: string) => {
    const lists = found.map(([, { values }]) => values.get(key))
    return {
      minimum: lists.map((list) => (list === undefined ? null : Math.min(...list))),
      maximum: lists.map((list) => (list === undefined ? null : Math.max(...list))),
      sums: lists.map((list) => list?.reduce((sum, value) => sum + value) ?? null),
      count: lists.map((list) => list?.length ?? 0),
    }
  }
  const times = found.map(([, { start, text }]) => (start < from ? clock.toLocal(from) : text))
  return { times, columns }
}

/** Sums of hours are added up in another order than the records are. */
function assertMeans(means: (number | null)[], sums: (number | null)[], counts: number[]): void {
  means.forEach((mean, at) => {
    const sum = sums[at]
    if (sum === null || sum === undefined) return assert.equal(mean, null)
    const exact = sum / counts[at]!
    assert.ok(Math.abs(mean! - exact) <= 1e-12 * (500 + Math.abs(exact)), `${mean} for ${exact}`)
  })
}

export async function assertSeries(
  seriesOf: (query: string) => Promise<any>,
  {
    sent,
    name,
    start,
    end,
    points,
  }: {
    sent: readonly Sent[]
    name: string
    start: string
    end: string
    points: number
  },
): Promise<any> {
  const station = sent[0]!.station
  const series = await seriesOf(`stations=${station}&${windowOf(start, end)}&points=${points}`)

  const { times, columns } = expected(sent, start, end, series.width, name)
  assert.deepEqual(series.times, times)
  assert.ok(times.length <= points)
  for (const [key, { minimum, mean, maximum, count }] of Object.entries<any>(series.items)) {
    const { sums, ...others } = columns(key)
    assert.deepEqual({ minimum, maximum, count }, others, key)
    assertMeans(mean, sums, count)
    if (series.width < 3600)
      assert.deepEqual(
        mean,
        sums.map((sum, at) =>
          sum === null ? null : Math.max(minimum[at], Math.min(maximum[at], sum / count[at])),
        ),
      )
  }
  return series
}
