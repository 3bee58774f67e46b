import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const STATION = 1031
/** Long enough for the thread. */
const LONG = 20_000
const MOST = 30_000
const TOO_LONG = MOST + 1
const ANALYSES = [
  'psd',
  'peaks',
  'spectrogram',
  'integrated?to=velocity&low=1',
  'cable-force?massPerMetre=1&length=1&low=1&high=2',
]

let service: TestService
let token: string
let reads = 0

before(async () => {
  service = await withService({
    site: SITE,
    settings: { 'vibration.maxAnalysisSamples': MOST },
  })
  token = await service.issueToken(1)
  const key = await service.createKey()
  for (const [collectTime, count] of [
    ['2026-03-01 12:00:00', TOO_LONG],
    ['2026-03-02 12:00:00', LONG],
  ] as const) {
    const samples = Array.from({ length: count }, (_, n) => n % 7)
    const batch = { station: STATION, collectTime, sampleFreq: 100, unit: 'cm/s2', samples }
    assert.equal((await service.ingest('vibration', key, batch)).status, 200)
  }
  const { waveforms } = service.storage
  const readSamples = waveforms.readSamples.bind(waveforms)
  waveforms.readSamples = (batch) => {
    reads++
    return readSamples(batch)
  }
})

after(() => service[Symbol.asyncDispose]())

const getAnalysis = (path: string) =>
  service.call(path, { headers: { authorization: `Bearer ${token}` } })

describe('a waveform of more samples than vibration.maxAnalysisSamples', () => {
  test('is not analysed: 400 that names the setting', async () => {
    for (const analysis of ANALYSES) {
      const path = `/manage/v1/stations/${STATION}/vibration/${analysis}`
      const when = `${analysis.includes('?') ? '&' : '?'}collectTime=2026-03-01+12:00:00`
      const response = await getAnalysis(`${path}${when}`)

      assert.equal(response.status, 400, analysis)
      assert.match(
        response.json().message,
        /the waveform has 30001 samples, at most 30000 are analysed \(vibration\.maxAnalysisSamples\)/,
      )
    }
    const fft = `/stations/${STATION}/vibration/fft?collectTime=2026-03-01+12:00:00`
    assert.equal((await service.get(fft, token)).status, 400)
    assert.equal(reads, 0)
  })

  test('is served', async () => {
    const raw = `/stations/${STATION}/vibration/raw?collectTime=2026-03-01+12:00:00`

    assert.equal((await service.get(raw, token)).status, 200)
  })
})
