import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noise } from '../../src/domain/vibration/_signals.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const WAVE = 1031
const MODES = 1051
const OTHERS = 1052

/** Two stations that track the waveforms of one. */
const TRACKING = SITE.replace(
  '  - id: 33\n',
  `  - id: 35
    name: Modes
    items:
      - { id: 351, key: f1, name: First, unit: Hz, precision: 0.001 }
      - { id: 352, key: f2, name: Second, unit: Hz, precision: 0.001 }
  - id: 33
`,
).replace(
  '      - factor: 19\n',
  `      - factor: 35
        stations:
          - id: ${MODES}
            name: A-01 modes
            fromWaveform:
              station: ${WAVE}
              peaks: [{ item: f1, low: 2, high: 3 }, { item: f2, low: 10, high: 14 }]
          - { id: ${OTHERS}, name: A-01 others, fromWaveform: { station: ${WAVE}, peaks: [{ item: f2, low: 30, high: 40 }] } }
      - factor: 19
`,
)

const MOST = 40_000
const SAMPLE_HZ = 100
/** Sines in noise, so that bands have a median. */
const sines = (count: number, ...lines: number[]) =>
  Array.from(noise(count), (error, n) =>
    lines.reduce((sum, hertz) => sum + Math.sin((2 * Math.PI * hertz * n) / SAMPLE_HZ), error / 10),
  )

let service: TestService
let token: string
let key: string

before(async () => {
  service = await withService({
    site: TRACKING,
    settings: { 'vibration.maxAnalysisSamples': MOST },
  })
  token = await service.issueToken()
  key = await service.createKey()
})

after(() => service[Symbol.asyncDispose]())

const send = (collectTime: string, samples: number[]) =>
  service.ingest('vibration', key, {
    station: WAVE,
    collectTime,
    sampleFreq: SAMPLE_HZ,
    unit: 'cm/s2',
    samples,
  })

const recordsOf = async (station: number): Promise<any[]> =>
  (await service.get(`/stations/theme/data?stations=${station}&limit=100`, token)).json()
    .stations[0].data

describe('a station that tracks waveforms', () => {
  test('gets a record of its frequencies with each, at the waveform’s own time', async () => {
    await send('2026-03-01 12:00:00.5', sines(6_000, 2.4567, 12.3))
    await send('2026-03-01 12:00:00.7', sines(6_000, 2.5))
    // Long enough for the thread.
    await send('2026-03-01 12:10:00', sines(30_000, 2.4123, 12.1))

    const modes = await recordsOf(MODES)

    assert.deepEqual(
      modes.map(({ time }) => time),
      ['2026-03-01 12:10:00', '2026-03-01 12:00:01', '2026-03-01 12:00:00'],
    )
    for (const [{ f1, f2 }, first, second] of [
      [modes[0], 2.4123, 12.1],
      [modes[1], 2.5, undefined],
      [modes[2], 2.4567, 12.3],
    ] as const) {
      assert.ok(Math.abs(f1 - first) < 0.001, `${f1} and ${first}`)
      if (second === undefined) assert.equal(f2, undefined)
      else assert.ok(Math.abs(f2 - second) < 0.001, `${f2} and ${second}`)
      assert.equal(f1, Number(f1.toFixed(4)))
    }
  })

  test('has no record of a waveform without a peak', async () => {
    assert.deepEqual(await recordsOf(OTHERS), [])
    assert.equal((await recordsOf(WAVE)).length, 3)
  })

  test('of a waveform that is sent again its record is replaced', async () => {
    await send('2026-03-02 12:00:00', sines(6_000, 2.2))
    const again = await send('2026-03-02 12:00:00', sines(6_000, 2.8))

    const [{ f1 }] = await recordsOf(MODES)
    assert.equal(again.json().replaced, 1)
    assert.ok(Math.abs(f1 - 2.8) < 0.001, `${f1}`)
  })

  test('has no record any more when the waveform that is sent again has no peak in its bands', async () => {
    await send('2026-03-03 12:00:00', sines(6_000, 2.2))
    await send('2026-03-03 12:00:00', sines(6_000, 7))

    const times = (await recordsOf(MODES)).map(({ time }) => time)
    assert.ok(!times.includes('2026-03-03 12:00:00'), times.join())
  })

  test('has no record of a waveform that is too long to be analysed, which is stored', async () => {
    const sent = await send('2026-03-04 12:00:00', sines(MOST + 1, 2.5))

    const times = (await recordsOf(MODES)).map(({ time }) => time)
    assert.equal(sent.json().accepted, 1)
    assert.ok(!times.includes('2026-03-04 12:00:00'), times.join())
    assert.equal((await recordsOf(WAVE))[0].time, '2026-03-04 12:00:00')
  })
})
