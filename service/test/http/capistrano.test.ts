import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import peaks from '../../../examples/demo-site/capistrano-peaks.json' with { type: 'json' }
import spectra from '../../../examples/demo-site/capistrano-spectra.json' with { type: 'json' }
import { spectrum } from '../../src/domain/vibration/spectrum.ts'
import { withService, type TestService } from '../_service.ts'

/** A real record of twelve channels, with figures that its agency computed. */
const DEMO = new URL('../../../examples/demo-site/', import.meta.url)
const LINES = gunzipSync(readFileSync(new URL('data/capistrano-bridge.vibration.ndjson.gz', DEMO)))
const WAVES: { station: number; samples: number[] }[] = LINES.toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const SECONDS = 0.005
const CM_PER_INCH = 2.54
const stationOf = (channel: number) => 3_000 + channel

let service: TestService
let token: string

before(async () => {
  service = await withService({ site: readFileSync(new URL('site.yaml', DEMO), 'utf8') })
  token = await service.issueToken()
  const response = await service.call('/ingest/v1/vibration', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await service.createKey()}`,
      'content-type': 'application/x-ndjson',
    },
    body: LINES,
  })
  assert.deepEqual(response.json(), { accepted: 12, replaced: 0, rejected: [] })
})

after(() => service[Symbol.asyncDispose]())

const read = async (channel: number, way: 'raw' | 'fft') => {
  const query = new URLSearchParams({ collectTime: '2009-05-17 20:39:38' })
  const path = `/stations/${stationOf(channel)}/vibration/${way}?${query}`
  return (await service.get(path, token)).json()
}

describe('the record of the Capistrano Beach bridge', () => {
  for (const { channel, peak, index } of peaks)
    test(`channel ${channel} has the peak that its header prints, at its point`, async () => {
      const { config, data } = await read(channel, 'raw')

      assert.deepEqual(config, { unit: 'cm/s2', sampleFreq: '200', count: 12_800 })
      assert.equal(data.length, 12_800)
      const { time, value } = data[index - 1]
      assert.equal(time, String(index))
      // Headers print three decimals.
      assert.ok(Math.abs(Number(value) - peak) <= 0.000_501, value)
      const largest = data.reduce(
        (most: number, { value }: { value: string }) => Math.max(most, Math.abs(Number(value))),
        0,
      )
      assert.equal(largest, Math.abs(Number(value)))
    })

  for (const { channel, points } of spectra)
    test(`channel ${channel} has the agency's Fourier amplitudes within 2 %`, async () => {
      const { data } = await read(channel, 'fft')
      const { samples } = WAVES.find(({ station }) => station === stationOf(channel))!
      let served = 0
      for (const [period, inches] of points as [number, number][]) {
        // A period that is no line of the record is one of the record and some rest behind it.
        const cycle = Math.round(period / SECONDS)
        const count = Math.ceil(12_800 / cycle) * cycle
        const padded = new Float64Array(count)
        padded.set(samples)
        const line = count / cycle
        const found = (spectrum(padded, 1 / SECONDS).amplitude[line]! * count * SECONDS) / 2
        const expected = inches * CM_PER_INCH
        assert.ok(Math.abs(found / expected - 1) < 0.02, `${period} s: ${found} and ${expected}`)

        if (count !== 12_800) continue
        const { value, frequency } = data[line]
        assert.ok(Math.abs(Number(frequency) * period - 1) < 1e-12)
        const amplitude = (Number(value) * 12_800 * SECONDS) / 2
        assert.ok(Math.abs(amplitude / expected - 1) < 0.02, `${period} s: ${amplitude}`)
        served++
      }
      assert.ok(points.length >= 30 && served >= 8, `${served} of ${points.length}`)
    })

  for (const channel of [7, 9, 10])
    test(`channel ${channel} of the deck swings at 2.4688 Hz`, async () => {
      const { data } = await read(channel, 'fft')
      const highest = data.reduce((most: any, line: any) =>
        Number(line.value) > Number(most.value) ? line : most,
      )
      const path = `/manage/v1/stations/${stationOf(channel)}/vibration/peaks?limit=1&window=rectangular`
      const [peak] = (
        await service.call(path, { headers: { authorization: `Bearer ${token}` } })
      ).json().peaks

      assert.equal(highest.frequency, '2.46875')
      assert.ok(Math.abs(peak.frequency - 2.46875) < 0.5 * 0.015625, `${peak.frequency}`)
    })
})
