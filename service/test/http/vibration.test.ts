import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { shareService } from '../_suite.ts'

const SAMPLE_HZ = 200
/** No power of two, and more text than is buffered before a response is streamed. */
const POINTS = 12_000
const LINE = 150
const AMPLITUDE = 3.25

/** A sine on a line of its spectrum, beside a constant that the spectrum leaves out. */
const SINE = Array.from(
  { length: POINTS },
  (_, index) => 5 + AMPLITUDE * Math.sin((2 * Math.PI * LINE * index) / POINTS),
)

const suite = shareService({ site: SITE }, async ({ service, key }) => {
  const batch = { station: 1031, unit: 'cm/s²' }
  for (const one of [
    { collectTime: '2026-03-01 12:00:00.750', sampleFreq: SAMPLE_HZ, samples: SINE },
    { collectTime: '2026-03-01 13:00:00.900', sampleFreq: '0.5', samples: [2] },
    { collectTime: '2026-03-01 13:00:00.100', sampleFreq: '0.5', samples: [1, -1, 1, -1] },
    { collectTime: '2026-03-01 14:00:00', sampleFreq: 100, samples: [0.1, -1e-7, 1e21, 0.1 + 0.2] },
  ])
    assert.equal((await service.ingest('vibration', key, { ...batch, ...one })).status, 200)
})

const NOON = '2026-03-01+12:00:00'

const vibration = (way: 'raw' | 'fft', collectTime: string, own = suite.token) =>
  suite.service.get(`/stations/1031/vibration/${way}?collectTime=${collectTime}`, own)

describe('getVibrationRaw', () => {
  test('the waveform is served as it was sent, as text, its points numbered from 1', async () => {
    const response = await vibration('raw', NOON)

    assert.equal(response.status, 200)
    const { config, data } = response.json()
    assert.deepEqual(config, { unit: 'cm/s²', sampleFreq: '200', count: POINTS })
    assert.deepEqual(
      data,
      SINE.map((value, index) => ({ value: String(value), time: String(index + 1) })),
    )
    assert.equal(response.headers['content-length'], undefined)
  })

  test('every double is served as it was sent', async () => {
    const { data } = (await vibration('raw', '2026-03-01+14:00:00')).json()

    assert.deepEqual(
      data.map(({ value }: any) => Number(value)),
      [0.1, -1e-7, 1e21, 0.1 + 0.2],
    )
  })

  test('the theme record’s time finds its batch, each of two in one second too', async () => {
    const list = await suite.service.get('/stations/theme/data?stations=1031&limit=10', suite.token)
    const times: string[] = list.json().stations[0].data.map(({ time }: any) => time)
    assert.deepEqual(times, [
      '2026-03-01 14:00:00',
      '2026-03-01 13:00:01',
      '2026-03-01 13:00:00',
      '2026-03-01 12:00:00',
    ])

    const counts = []
    for (const time of times)
      counts.push((await vibration('raw', encodeURIComponent(time))).json().config.count)

    assert.deepEqual(counts, [4, 4, 1, POINTS])
  })

  test('a waveform of several chunks is whole, and its spectrum is computed in a thread', async () => {
    const samples = Array.from({ length: 140_001 }, (_, index) => index % 10)
    const batch = {
      station: 1031,
      collectTime: '2026-03-01 15:00:00',
      sampleFreq: 10,
      unit: 'cm/s2',
    }
    await suite.service.ingest('vibration', suite.key, { ...batch, samples })

    const raw = (await vibration('raw', '2026-03-01+15:00:00')).json()
    const fft = (await vibration('fft', '2026-03-01+15:00:00')).json()

    assert.equal(raw.config.count, 140_001)
    assert.deepEqual(
      raw.data.map(({ value }: any) => Number(value)),
      samples,
    )
    assert.equal(fft.data.length, 70_001)
  })
})

describe('getVibrationFft', () => {
  test('a sine of amplitude A on a line reads A there and nothing elsewhere', async () => {
    const { config, data } = (await vibration('fft', NOON)).json()

    assert.deepEqual(config, { unit: 'cm/s²', sampleFreq: '200', count: POINTS })
    assert.equal(data.length, POINTS / 2 + 1)
    for (const [k, { value, frequency }] of data.entries()) {
      assert.equal(Number(frequency), (k * SAMPLE_HZ) / POINTS)
      const expected = k === LINE ? AMPLITUDE : 0
      assert.ok(Math.abs(Number(value) - expected) < 1e-9, `line ${k} reads ${value}`)
    }
    assert.equal(data[LINE].frequency, '2.5')
  })

  test('at half the sampling frequency a sine is counted once', async () => {
    const { data } = (await vibration('fft', '2026-03-01+13:00:01')).json()

    assert.deepEqual(
      data.map(({ frequency }: any) => frequency),
      ['0', '0.125', '0.25'],
    )
    assert.ok(Math.abs(Number(data[2].value) - 1) < 1e-12)
    assert.equal(Number(data[0].value), 0)
  })
})

describe('both vibration operations', () => {
  test('refuse in the order 401, 400, 404, 403; no batch in that second is a 404', async () => {
    const river = await suite.service.issueToken(2)
    for (const way of ['raw', 'fft'] as const) {
      const words = way === 'raw' ? 'Vibration' : 'Spectrum'
      const path = (station: number | string) => `/stations/${station}/vibration/${way}`
      const stranger = await suite.service.call(`/api/v1${path('x')}`)
      assert.equal(stranger.status, 401)

      for (const [station, query, status, message] of [
        [9999, '', 400, /"collectTime" is missing/],
        [9999, 'collectTime=now', 400, /"collectTime" must be a local date and time/],
        [9999, 'collectTime=2026-02-30+12:00:00', 400, /must be a date and time that exists/],
        ['x', `collectTime=${NOON}`, 400, /"stationId" must be a whole number/],
        [9999, `collectTime=${NOON}`, 404, /^There is no station 9999\.$/],
        [1031, `collectTime=${NOON}`, 403, /^You do not have access to station 1031\.$/],
      ] as const) {
        const response = await suite.service.get(`${path(station)}?${query}`, river)
        assert.equal(response.status, status, `${station} ${query}`)
        assert.match(response.json().message, message)
        if (status === 400)
          assert.ok(response.json().message.startsWith(`${words} query failed: `), response.text)
      }
      const none = await vibration(way, '2026-03-01+12:00:01')
      assert.equal(none.status, 404)
      assert.deepEqual(none.json(), {
        name: 'NotFound',
        message: 'Station 1031 has no vibration batch of 2026-03-01 12:00:01.',
      })
    }
  })
})
