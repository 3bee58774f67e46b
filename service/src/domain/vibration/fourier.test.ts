import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { noise } from './_signals.ts'
import { inverseReal, transformReal } from './fourier.ts'

describe('the transform of real samples', () => {
  test('and its inverse return the samples, of any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (count, seed) => {
        const samples = noise(count, seed)
        const bins = transformReal(samples)

        assert.equal(bins.length, 2 * (Math.floor(count / 2) + 1))
        for (const [n, value] of inverseReal(bins, count).entries())
          assert.ok(Math.abs(value - samples[n]!) <= 1e-13, `sample ${n} of ${count}`)
      }),
    )
  })

  test('does not change the samples', () => {
    for (const count of [1, 2, 7, 8, 10]) {
      const samples = noise(count)
      transformReal(samples)

      assert.deepEqual(samples, noise(count))
    }
  })
})
