import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SamplePyramid } from './sample-pyramid.ts'

test('extremes of any range are those of its samples', () => {
  const samples = fc.array(fc.double({ noNaN: true }), { maxLength: 700 })
  const ranges = fc.array(fc.tuple(fc.nat(720), fc.nat(720)), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(samples, ranges, (list, ranges) => {
      const pyramid = new SamplePyramid(Float64Array.from(list))
      for (const [from, to] of ranges) {
        const some = list.slice(from, Math.max(from, to))
        const expected = { low: Math.min(...some), high: Math.max(...some) }
        assert.deepEqual(pyramid.extremes(from, Math.max(from, to)), expected)
      }
    }),
    { numRuns: 60 },
  )
})
