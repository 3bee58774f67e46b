import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { gather, stepOfDegrees } from './gather.ts'

const placed = fc.array(
  fc.record({ x: fc.integer({ min: 0, max: 300 }), y: fc.integer({ min: 0, max: 300 }) }),
)

test('nothing is lost, and the places of gatherings are apart', () => {
  fc.assert(
    fc.property(placed, (all) => {
      const gatherings = gather(all, 30)
      assert.deepEqual(new Set(gatherings.flat()), new Set(all))
      for (const [index, [a]] of gatherings.entries())
        for (const [b] of gatherings.slice(index + 1))
          assert.ok(Math.hypot(a!.x - b!.x, a!.y - b!.y) >= 30)
    }),
  )
})

test('a graticule has lines at round degrees', () => {
  assert.equal(stepOfDegrees(360, 6), 30)
  assert.equal(stepOfDegrees(1.7, 4), 0.2)
})
