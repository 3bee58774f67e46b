import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pan, zoom, type SampleRange } from './sample-range.ts'

const COUNT = 1000

test('zooming keeps the place below the pointer', () => {
  assert.deepEqual(zoom({ from: 0, to: 1000 }, 0.5, 0.25, COUNT), { from: 125, to: 625 })
  assert.deepEqual(zoom({ from: 125, to: 625 }, 2, 0.25, COUNT), { from: 0, to: 1000 })
})

test('whatever is done, a range has samples only, and eight at least', () => {
  const steps = fc.array(
    fc.oneof(
      fc.tuple(
        fc.double({ min: 0.01, max: 50, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
      fc.double({ min: -3000, max: 3000, noNaN: true }),
    ),
  )
  fc.assert(
    fc.property(steps, (steps) => {
      let range: SampleRange = { from: 0, to: COUNT }
      for (const step of steps)
        range = typeof step === 'number' ? pan(range, step, COUNT) : zoom(range, ...step, COUNT)
      assert.ok(range.from >= 0 && range.to <= COUNT + 1e-9, JSON.stringify(range))
      assert.ok(range.to - range.from > 8 - 1e-6)
    }),
  )
})
