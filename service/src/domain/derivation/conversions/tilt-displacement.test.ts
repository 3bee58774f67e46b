import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const KIND = 'tiltDisplacement'

describe('the displacement of a tilt', () => {
  test('is L(sin a - sin a0) · 1000 mm', () => {
    // 2 (sin 30° - sin 0°) · 1000 = 2 · 0.5 · 1000 = 1000 mm
    assert.ok(isClose(compute(KIND, { length: 2 }, { angle: 30 }), 1000))
    // 0.5 (sin 0° - sin 30°) · 1000 = -250 mm
    assert.ok(isClose(compute(KIND, { length: 0.5, a0: 30 }, { angle: 0 }), -250))
  })

  test('is nothing without an angle', () => {
    assert.equal(compute(KIND, { length: 2 }, {}), undefined)
  })

  const angle = fc.double({ min: -90, max: 90, noNaN: true })

  test('is 0 at the reference state, and the opposite with both angles exchanged', () => {
    fc.assert(
      fc.property(angle, angle, (a, a0) => {
        assert.equal(compute(KIND, { length: 3, a0 }, { angle: a0 }), 0)
        const there = compute(KIND, { length: 3, a0 }, { angle: a })!
        const back = compute(KIND, { length: 3, a0: a }, { angle: a0 })!
        assert.equal(there + back, 0)
      }),
    )
  })

  test('grows with the length', () => {
    fc.assert(
      fc.property(angle, fc.double({ min: 0.1, max: 50, noNaN: true }), (angle, length) => {
        const once = compute(KIND, { length }, { angle })!
        const twice = compute(KIND, { length: 2 * length }, { angle })
        assert.ok(isClose(twice, 2 * once))
      }),
    )
  })
})
