import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { noise, sine, sum, WINDOW_NAMES } from './_signals.ts'
import { powerDensity } from './power-density.ts'
import { removeMean } from './spectrum.ts'
import { coherentGain, windowWeights } from './window.ts'

const SAMPLE_HZ = 200

describe('a power spectral density', () => {
  test('of one segment without a window sums up to the variance (Parseval)', () => {
    const count = fc.integer({ min: 2, max: 500 })
    const rate = fc.constantFrom(0.5, 1, 200)
    const property = fc.property(count, fc.nat(), rate, (count, seed, sampleHz) => {
      const samples = noise(count, seed)
      const whole = { window: 'rectangular', segment: count, overlap: 0 } as const
      const { density, stepHz, segments } = powerDensity(samples, sampleHz, whole)

      const variance = sum(removeMean(samples).map((sample) => sample ** 2)) / count
      assert.equal(segments, 1)
      assert.ok(Math.abs(sum(density) * stepHz - variance) <= 1e-12 * Math.max(variance, 1))
    })
    fc.assert(property)
  })

  test('of many windowed segments sums up to their weighted mean square (Parseval)', () => {
    for (const window of WINDOW_NAMES)
      for (const segment of [97, 128]) {
        const samples = noise(1_000)
        const cut = { window, segment, overlap: 0.5 }
        const { density, stepHz, segments } = powerDensity(samples, SAMPLE_HZ, cut)

        const weights = windowWeights(window, segment)
        const step = Math.round(segment / 2)
        const powers = Array.from({ length: segments }, (_, at) => {
          const centred = removeMean(samples.subarray(at * step, at * step + segment))
          return (
            sum(centred.map((x, n) => (x * weights[n]!) ** 2)) / sum(weights.map((w) => w ** 2))
          )
        })
        assert.equal(segments, Math.floor((1_000 - segment) / step) + 1)
        assert.ok(Math.abs(sum(density) * stepHz - sum(powers) / segments) < 1e-12)
      }
  })

  test('has the whole power of a sine around its line, with any window', () => {
    for (const window of WINDOW_NAMES) {
      const samples = sine(4096, 3, 512)
      const cut = { window, segment: 1024, overlap: 0.5 }
      const { density, stepHz, bandwidthHz } = powerDensity(samples, SAMPLE_HZ, cut)

      const line = density.indexOf(Math.max(...density))
      assert.equal(line * stepHz, 25)
      const near = density.subarray(line - 6, line + 7)
      assert.ok(Math.abs(sum(near) * stepHz - 4.5) < 1e-9, `${window}: ${sum(near) * stepHz}`)
      // At its line it is the power divided by the noise bandwidth.
      assert.ok(Math.abs(density[line]! * bandwidthHz - 4.5) < 1e-9)
      assert.ok(coherentGain(windowWeights(window, 1024)) > 0)
    }
  })

  test('of white noise is flat: twice its variance by the sampling frequency', () => {
    const samples = noise(200_000)
    const cut = { window: 'hann', segment: 256, overlap: 0.5 } as const
    const { density } = powerDensity(samples, SAMPLE_HZ, cut)

    const expected = (2 * (1 / 3)) / SAMPLE_HZ
    for (const [k, value] of density.subarray(2, -1).entries())
      assert.ok(Math.abs(value / expected - 1) < 0.2, `line ${k + 2}: ${value / expected}`)
  })

  test('of fewer samples than a segment is that of all of them', () => {
    const cut = { window: 'hann', segment: 4096, overlap: 0.5 } as const
    const { density, stepHz, segments } = powerDensity(noise(100), SAMPLE_HZ, cut)

    assert.deepEqual([density.length, stepHz, segments], [51, 2, 1])
  })
})
