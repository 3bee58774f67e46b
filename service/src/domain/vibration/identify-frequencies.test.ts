import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { add, noise, sine } from './_signals.ts'
import { identifyFrequencies } from './identify-frequencies.ts'

const SAMPLE_HZ = 100
const COUNT = 6_000
const band = (low: number, high: number, ratio = 5) => ({ low, high, ratio })

/** Noise, with lines at 2.4567 Hz and 13.1 Hz. */
const SAMPLES = add(
  add(noise(COUNT), sine(COUNT, 0.5, (2.4567 * COUNT) / SAMPLE_HZ)),
  sine(COUNT, 0.4, (13.1 * COUNT) / SAMPLE_HZ),
)

describe('identified frequencies', () => {
  test('are the peaks of their bands, to a twentieth of a line', () => {
    const bands = [band(2, 3), band(10, 20), band(1, 20)]
    const [low, high, both] = identifyFrequencies(SAMPLES, SAMPLE_HZ, bands)

    const limit = (0.05 * SAMPLE_HZ) / COUNT
    assert.ok(Math.abs(low! - 2.4567) < limit, `${low}`)
    assert.ok(Math.abs(high! - 13.1) < limit, `${high}`)
    assert.equal(both, low)
  })

  test('are undefined where no line stands out of the noise', () => {
    const bands = [band(20, 40), band(4, 6), band(2, 3, 100)]

    assert.deepEqual(identifyFrequencies(SAMPLES, SAMPLE_HZ, bands), Array(3).fill(undefined))
  })

  test('are undefined where the band only has the slope of a peak outside it', () => {
    const clean = sine(COUNT, 1, 150)
    const bands = [band(2.52, 3), band(2, 2.48), band(2.4, 2.6)]
    const [above, below, around] = identifyFrequencies(clean, SAMPLE_HZ, bands)

    assert.deepEqual([above, below], [undefined, undefined])
    assert.ok(Math.abs(around! - 2.5) < 1e-6)
  })

  test('are undefined outside of the spectrum, in an empty band, and of a waveform too short for lines', () => {
    const none = [band(60, 80), band(2.401, 2.402), band(3, 2)]

    assert.deepEqual(identifyFrequencies(SAMPLES, SAMPLE_HZ, none), Array(3).fill(undefined))
    for (const count of [1, 2, 3, 4])
      assert.deepEqual(identifyFrequencies(noise(count), SAMPLE_HZ, [band(0, 50)]).length, 1)
    assert.deepEqual(identifyFrequencies(new Float64Array(100), 1, [band(0, 1)]), [undefined])
  })
})
