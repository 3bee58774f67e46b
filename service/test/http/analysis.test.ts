import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const STATION = 1031
const SAMPLE_HZ = 200
const COUNT = 8_000

/** A line at 2.5 Hz and one between two lines, about a mean. */
const wave = (count: number) =>
  Array.from(
    { length: count },
    (_, n) =>
      5 +
      3 * Math.sin((2 * Math.PI * 2.5 * n) / SAMPLE_HZ) +
      Math.sin((2 * Math.PI * 12.0107 * n) / SAMPLE_HZ),
  )
const SAMPLES = wave(COUNT)
/** Long enough for the thread. */
const LONG = wave(40_000)

let service: TestService
let token: string
let river: string

before(async () => {
  service = await withService({ site: SITE })
  token = await service.issueToken(1)
  river = await service.issueToken(2)
  const key = await service.createKey()
  for (const [collectTime, samples, unit] of [
    ['2026-03-01 12:00:00.250', SAMPLES, 'cm/s²'],
    ['2026-03-01 12:00:00.750125', [1, 2, 1, 2], 'cm/s²'],
    ['2026-03-02 12:00:00', LONG, 'cm/s²'],
    ['2026-03-03 12:00:00', [1.7e308, -1.7e308, 1.7e308], 'cm/s²'],
  ] as const) {
    const batch = { station: STATION, collectTime, sampleFreq: SAMPLE_HZ, unit, samples }
    assert.equal((await service.ingest('vibration', key, batch)).status, 200)
  }
  const samples = Array.from({ length: 120_000 }, (_, n) => n % 7)
  const other = { station: 1041, collectTime: '2026-03-01 12:00:00', sampleFreq: 1, unit: 'cm/s2' }
  await service.ingest('vibration', key, { ...other, samples })
})

after(() => service[Symbol.asyncDispose]())

const NOON = { collectTime: '2026-03-01 12:00:00' }

const getAnalysis = (
  analysis: string,
  query: Record<string, string | number>,
  own = token,
  station: number | string = STATION,
) => {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)])
  return service.call(
    `/manage/v1/stations/${station}/vibration/${analysis}?${new URLSearchParams(texts)}`,
    { headers: { authorization: `Bearer ${own}` } },
  )
}

const read = async (analysis: string, query: Record<string, string | number>) => {
  const response = await getAnalysis(analysis, query)
  assert.equal(response.status, 200, response.text)
  return response.json()
}

const close = (actual: number, expected: number, limit: number) =>
  assert.ok(Math.abs(actual - expected) <= limit, `${actual} and ${expected}`)

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

describe('listVibrationBatches', () => {
  test('lists ids, exact instants and the seconds they are asked for by, newest first', async () => {
    const batches = await read('batches', {})

    assert.deepEqual(
      batches.map(({ id: _id, ...rest }: any) => rest),
      [
        ['2026-03-03 12:00:00', '2026-03-03T04:00:00.000Z', 'cm/s²', 3],
        ['2026-03-02 12:00:00', '2026-03-02T04:00:00.000Z', 'cm/s²', 40_000],
        ['2026-03-01 12:00:01', '2026-03-01T04:00:00.750125Z', 'cm/s²', 4],
        ['2026-03-01 12:00:00', '2026-03-01T04:00:00.250Z', 'cm/s²', COUNT],
      ].map(([collectTime, trigger, unit, count]) => ({
        collectTime,
        trigger,
        unit,
        sampleFreq: '200',
        count,
      })),
    )
    assert.equal(new Set(batches.map(({ id }: any) => id)).size, 4)
  })

  test('keeps to its window and limit', async () => {
    const day = { startTime: '2026-03-01 12:00:01', endTime: '2026-03-02 12:00:00' }

    const times = (await read('batches', day)).map(({ collectTime }: any) => collectTime)
    const newest = await read('batches', { ...day, limit: 1 })

    assert.deepEqual(times, ['2026-03-02 12:00:00', '2026-03-01 12:00:01'])
    assert.deepEqual(newest.length, 1)
    assert.deepEqual(await read('batches', { endTime: '2020-01-01 00:00:00' }), [])
  })
})

describe('getVibrationPsd', () => {
  test('of one segment without a window sums up to the variance', async () => {
    const whole = { ...NOON, window: 'rectangular', segment: COUNT, overlap: 0 }
    const { batch, density, step, segments, unit, bandwidth } = await read('psd', whole)

    const mean = sum(SAMPLES) / COUNT
    close(sum(density) * step, sum(SAMPLES.map((x) => (x - mean) ** 2)) / COUNT, 1e-10)
    assert.deepEqual([segments, step, density.length], [1, 0.025, COUNT / 2 + 1])
    assert.deepEqual([unit, bandwidth, batch.count], ['(cm/s²)²/Hz', 0.025, COUNT])
  })

  test('averages segments of a quarter under a Hann window, when nothing is said', async () => {
    const { window, segment, overlap, segments, density, step } = await read('psd', NOON)
    const long = await read('psd', { collectTime: '2026-03-02 12:00:00' })

    assert.deepEqual([window, segment, overlap], ['hann', 1024, 0.5])
    assert.deepEqual([segments, density.length], [14, 513])
    assert.equal(long.segment, 8192)
    const line = density.indexOf(Math.max(...density))
    close(line * step, 2.5, step)
  })

  test('of samples too large to square is a 400', async () => {
    const response = await getAnalysis('psd', { collectTime: '2026-03-03 12:00:00' })

    assert.equal(response.status, 400)
    assert.match(response.json().message, /^Spectrum query failed: the samples are too large/)
  })
})

describe('getVibrationPeaks', () => {
  test('finds lines between the lines of the spectrum', async () => {
    for (const collectTime of [NOON.collectTime, '2026-03-02 12:00:00']) {
      const { peaks, unit } = await read('peaks', { collectTime, prominence: 0.2 })

      assert.equal(unit, 'cm/s²')
      assert.equal(peaks.length, 2)
      close(peaks[0].frequency, 2.5, 1e-4)
      close(peaks[0].amplitude, 3, 0.01)
      close(peaks[1].frequency, 12.0107, 0.017 * (SAMPLE_HZ / COUNT) + 1e-3)
      close(peaks[1].amplitude, 1, 0.05)
    }
  })

  test('keeps to its band and limit', async () => {
    const band = await read('peaks', { ...NOON, low: 10, high: 15, limit: 1 })
    const none = await read('peaks', { ...NOON, low: 95, prominence: 1 })

    assert.equal(band.peaks.length, 1)
    close(band.peaks[0].frequency, 12.01, 0.01)
    assert.ok(none.peaks.length <= 1)
  })
})

describe('getVibrationSpectrogram', () => {
  test('has a row of lines for the middle of each segment', async () => {
    const cut = { ...NOON, segment: 800, overlap: 0.5, window: 'hann' }
    const { times, amplitudes, step, segment } = await read('spectrogram', cut)

    assert.deepEqual([times.length, step, segment], [19, 0.25, 800])
    assert.equal(times[0], 399.5 / SAMPLE_HZ)
    assert.ok(amplitudes.every((row: number[]) => row.length === 401))
    for (const row of amplitudes) close(row[10], 3, 0.01)
  })

  test('of a million values and more is a 400 that says so', async () => {
    const refused = await getAnalysis('spectrogram', { segment: 1000, overlap: 0.95 }, token, 1041)
    const response = await getAnalysis('spectrogram', { segment: 1000, overlap: 0.9 }, token, 1041)

    assert.equal(refused.status, 400)
    assert.match(refused.json().message, /would have 1192881 values, at most 1000000 are allowed/)
    assert.equal(response.status, 200)
    assert.equal(response.json().amplitudes.length, 1191)
  })
})

describe('getVibrationIntegrated', () => {
  test('gives velocity and displacement of a sine, in their units', async () => {
    const omega = 2 * Math.PI * 2.5
    for (const [to, unit, expected] of [
      ['velocity', 'cm/s', (t: number) => (-3 / omega) * Math.cos(omega * t)],
      ['displacement', 'cm', (t: number) => (-3 / omega ** 2) * Math.sin(omega * t)],
    ] as const) {
      const response = await read('integrated', { ...NOON, to, low: 2.4, high: 2.6 })

      assert.deepEqual(
        [response.to, response.unit, response.low, response.high],
        [to, unit, 2.4, 2.6],
      )
      assert.equal(response.samples.length, COUNT)
      response.samples.forEach((value: number, n: number) =>
        close(value, expected(n / SAMPLE_HZ), 2e-3),
      )
    }
  })

  test('goes up to half the sampling frequency when nothing is said', async () => {
    const response = await read('integrated', { ...NOON, to: 'velocity', low: 1 })

    assert.equal(response.high, SAMPLE_HZ / 2)
  })
})

describe('getCableForce', () => {
  test('is 4 m L² (f/n)² of the frequency in the band', async () => {
    const cable = { ...NOON, massPerMetre: 60, length: 100, low: 2, high: 3 }
    const first = await read('cable-force', cable)
    const second = await read('cable-force', { ...cable, mode: 2 })

    close(first.frequency, 2.5, 1e-4)
    close(first.force, 4 * 60 * 100 ** 2 * first.frequency ** 2, 1e-3)
    close(second.force, first.force / 4, 1e-3)
  })

  test('is null where nothing stands out of the band', async () => {
    const cable = { ...NOON, massPerMetre: 60, length: 100, low: 40, high: 60, ratio: 50 }

    const { frequency, force } = await read('cable-force', cable)

    assert.deepEqual([frequency, force], [null, null])
  })
})

describe('every analysis', () => {
  const ANALYSES: readonly [analysis: string, query: Record<string, string | number>][] = [
    ['psd', {}],
    ['peaks', {}],
    ['spectrogram', {}],
    ['integrated', { to: 'velocity', low: 1 }],
    ['cable-force', { massPerMetre: 1, length: 1, low: 1, high: 2 }],
  ]

  test('takes a batch by its id too, and without either the newest', async () => {
    const [newest, long, second, first] = await read('batches', {})
    for (const [analysis, query] of ANALYSES) {
      const byId = await read(analysis, { ...query, batch: first.id })
      const bySecond = await read(analysis, { ...query, collectTime: second.collectTime })
      const notNotified = await getAnalysis(analysis, query)

      assert.deepEqual(byId.batch, first, analysis)
      assert.deepEqual(bySecond.batch, second, analysis)
      // The newest has samples that are too large for some.
      if (notNotified.status === 200) assert.deepEqual(notNotified.json().batch, newest, analysis)
      assert.deepEqual((await read(analysis, { ...query, batch: long.id })).batch, long, analysis)
    }
  })

  test('refuses in the order 401, 400, 404, 403, 404', async () => {
    const [{ id }] = await read('batches', {})
    for (const [analysis, query] of ANALYSES) {
      const status = async (more: object, own = token, station: number | string = STATION) =>
        (await getAnalysis(analysis, { ...query, ...more }, own, station)).status

      assert.equal(await status({}, 'x', 'x'), 401)
      assert.equal(await status({}, token, 'x'), 400)
      assert.equal(await status({ collectTime: 'now' }), 400)
      assert.equal(await status({ collectTime: '2026-02-30 12:00:00' }, river, 9999), 400)
      assert.equal(await status({ ...NOON, batch: id }, river, 9999), 400)
      assert.equal(await status({ batch: 0 }), 400)
      assert.equal(await status(NOON, river, 9999), 404)
      assert.equal(await status(NOON, river), 403)
      assert.equal(await status({ collectTime: '2026-03-01 12:00:05' }), 404)
      assert.equal(await status({ batch: 999 }), 404)
      assert.equal(await status({ batch: id }, token, 1001), 404)
    }
    assert.equal((await getAnalysis('batches', {}, river)).status, 403)
    assert.equal((await getAnalysis('batches', {}, token, 9999)).status, 404)
  })

  for (const [analysis, query, reason] of [
    ['psd', { window: 'square' }, /"window" must be one of rectangular, hann/],
    ['psd', { segment: 7 }, /"segment" must be a whole number from 8 to 1048576/],
    ['psd', { overlap: 1 }, /"overlap" must be a number from 0 to 0.95/],
    ['peaks', { prominence: 2 }, /"prominence" must be a number from 0 to 1/],
    ['peaks', { low: 3, high: 2 }, /"low" lies above "high"/],
    ['peaks', { limit: 0 }, /"limit" must be a whole number from 1 to 1000/],
    ['integrated', { to: 'speed', low: 1 }, /"to" must be one of velocity, displacement/],
    ['integrated', { to: 'velocity' }, /"low" is missing: it must be a number above 0/],
    ['integrated', { to: 'velocity', low: 0 }, /"low" must be a number above 0 and at most/],
    ['integrated', { to: 'velocity', low: 3, high: 2 }, /"low" lies above "high"/],
    ['cable-force', { length: 1, low: 1, high: 2 }, /"massPerMetre" is missing/],
    [
      'cable-force',
      { massPerMetre: -1, length: 1, low: 1, high: 2 },
      /"massPerMetre" must be a number above 0/,
    ],
  ] as const)
    test(`${analysis} with ${JSON.stringify(query)} is a 400 that names what is wrong`, async () => {
      const response = await getAnalysis(analysis, { ...NOON, ...query })

      assert.equal(response.status, 400)
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, reason)
    })
})
