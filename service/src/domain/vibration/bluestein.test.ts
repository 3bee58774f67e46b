import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { bluestein } from './bluestein.ts'

/** The transform by its definition, with exact angles. */
function naive(points: Float64Array): Float64Array {
  const count = points.length / 2
  const output = new Float64Array(points.length)
  for (let k = 0; k < count; k++) {
    for (let n = 0; n < count; n++) {
      const angle = (-2 * Math.PI * ((k * n) % count)) / count
      const [real, imaginary] = [points[2 * n]!, points[2 * n + 1]!]
      output[2 * k]! += real * Math.cos(angle) - imaginary * Math.sin(angle)
      output[2 * k + 1]! += real * Math.sin(angle) + imaginary * Math.cos(angle)
    }
  }
  return output
}

describe("Bluestein's algorithm", () => {
  test('returns the discrete Fourier transform of any length', () => {
    const complex = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 200 })
      .map((numbers) => Float64Array.from(numbers.slice(0, numbers.length & ~1)))
    const property = fc.property(complex, (points) => {
      const expected = naive(points)
      const peak = Math.max(...expected.map(Math.abs), Number.MIN_VALUE)
      for (const [at, value] of bluestein(points).entries()) {
        assert.ok(Math.abs(value - expected[at]!) <= 1e-13 * Math.max(peak, 1e-3))
      }
    })
    fc.assert(property)
  })

  test('does not change its input', () => {
    const points = Float64Array.of(1, 2, 3, 4, 5, 6)
    bluestein(points)

    assert.deepEqual(points, Float64Array.of(1, 2, 3, 4, 5, 6))
  })
})
