import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { add, noise, sine } from './_signals.ts'
import { findPeaks } from './peaks.ts'
import { spectrum } from './spectrum.ts'

const ALL = { low: 0, high: Infinity, prominence: 0, limit: 1_000 }

const LIMITS = {
  rectangular: { lines: 0.17, amplitude: 0.27 },
  hann: { lines: 0.017, amplitude: 0.04 },
  hamming: { lines: 0.017, amplitude: 0.05 },
  flattop: { lines: 0.15, amplitude: 0.02 },
} as const

/** Prominence by its definition: down to the valleys on the way to something higher. */
function naiveProminence(values: readonly number[], at: number): number {
  const side = (step: number): number => {
    let lowest = values[at]!
    for (let k = at; k >= 0 && k < values.length && values[k]! <= values[at]!; k += step)
      lowest = Math.min(lowest, values[k]!)
    return lowest
  }
  return values[at]! - Math.max(side(-1), side(1))
}

describe('the peaks of a spectrum', () => {
  for (const [window, limit] of Object.entries(LIMITS) as [
    keyof typeof LIMITS,
    { lines: number; amplitude: number },
  ][])
    test(`lie between its lines: under ${window} within ${limit.lines} lines`, () => {
      for (let off = -50; off <= 50; off++) {
        const bin = 300 + off / 100
        const { amplitude } = spectrum(sine(2048, 2, bin, off), 512, window)

        const [peak] = findPeaks(amplitude, 512 / 2048, { ...ALL, limit: 1 })

        const lines = peak!.frequency / 0.25 - bin
        assert.ok(Math.abs(lines) <= limit.lines, `${lines} lines off at ${bin}`)
        assert.ok(Math.abs(peak!.amplitude / 2 - 1) <= limit.amplitude, `${peak!.amplitude}`)
      }
    })

  test('have the prominence of its definition', () => {
    const values = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 40 })
    const property = fc.property(values, (values) => {
      const found = findPeaks(Float64Array.from(values), 1, ALL)

      const expected = values.flatMap((value, k) => {
        if (k === 0 || values[k - 1]! >= value) return []
        let end = k
        while (values[end + 1] === value) end++
        if (end + 1 >= values.length || values[end + 1]! > value) return []
        const at = (k + end) >> 1
        return [naiveProminence(values, at)]
      })
      assert.deepEqual(
        found.map(({ prominence }) => prominence),
        expected.toSorted((a, b) => b - a),
      )
    })
    fc.assert(property, { numRuns: runs(500) })
  })

  test('are those in the band with enough prominence, the most prominent first', () => {
    const samples = add(add(sine(4000, 1, 100), sine(4000, 3, 220)), sine(4000, 0.2, 400))
    const { amplitude } = spectrum(
      add(
        samples,
        noise(4000).map((x) => x / 1e4),
      ),
      100,
      'hann',
    )
    const find = (choice: object) =>
      findPeaks(amplitude, 100 / 4000, { ...ALL, prominence: 0.05, ...choice }).map(
        ({ frequency }) => Math.round(frequency * 1000) / 1000,
      )

    assert.deepEqual(find({}), [5.5, 2.5, 10])
    assert.deepEqual(find({ prominence: 0.1 }), [5.5, 2.5])
    assert.deepEqual(find({ low: 2.5, high: 5 }), [2.5])
    assert.deepEqual(find({ limit: 1 }), [5.5])
    assert.deepEqual(find({ low: 20, prominence: 1.1 }), [])
  })

  test('with a flat top lie at its middle', () => {
    for (const [values, frequency] of [
      [[0, 1, 1, 1, 0], 2],
      [[0, 2, 1, 3, 3, 1], 3],
    ] as const) {
      const [peak] = findPeaks(Float64Array.from(values), 1, { ...ALL, limit: 1 })

      assert.equal(Math.floor(peak!.frequency), frequency)
    }
  })

  test('do not exist in an empty or a flat spectrum', () => {
    for (const values of [[], [1], [1, 1, 1], [0, 0, 0, 0]])
      assert.deepEqual(findPeaks(Float64Array.from(values), 1, ALL), [])
  })
})
