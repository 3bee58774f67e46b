import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const KIND = 'gnss'
const REFERENCE = { x0: 1000, y0: 2000, z0: 30 }

const turn = (x: number, y: number, azimuth: number) =>
  ['x', 'y'].map((axis) => compute(KIND, { x0: 0, y0: 0, azimuth, axis }, { x, y })!)

describe('the displacement by GNSS', () => {
  test('is the difference to the reference in mm', () => {
    const inputs = { x: 1000.25, y: 1999.5, z: 30.125 }

    // (1000.25 - 1000) · 1000 = 250, (1999.5 - 2000) · 1000 = -500, (30.125 - 30) · 1000 = 125
    assert.equal(compute(KIND, { ...REFERENCE, axis: 'x' }, inputs), 250)
    assert.equal(compute(KIND, { ...REFERENCE, axis: 'y' }, inputs), -500)
    assert.equal(compute(KIND, { ...REFERENCE, axis: 'z' }, inputs), 125)
  })

  test('is turned into the axes of the bridge', () => {
    const turned = { ...REFERENCE, azimuth: 30 }
    const inputs = { x: 1001, y: 2002, z: 31 }

    // along:  1 · cos 30° + 2 · sin 30° = 0.8660254 + 1 = 1.8660254 m
    assert.ok(isClose(compute(KIND, { ...turned, axis: 'x' }, inputs), 1000 + 500 * Math.sqrt(3)))
    // across: 2 · cos 30° - 1 · sin 30° = 1.7320508 - 0.5 = 1.2320508 m
    assert.ok(isClose(compute(KIND, { ...turned, axis: 'y' }, inputs), 1000 * Math.sqrt(3) - 500))
    assert.equal(compute(KIND, { ...turned, axis: 'z' }, inputs), 1000)
  })

  test('along a bridge to the east is what goes east, where x is north and y is east', () => {
    const along = compute(KIND, { ...REFERENCE, azimuth: 90, axis: 'x' }, { x: 1000, y: 2003 })

    assert.ok(isClose(along, 3000))
  })

  test('reads only the coordinates that matter', () => {
    assert.equal(compute(KIND, { x0: 1, axis: 'x' }, { x: 2 }), 1000)
    assert.equal(compute(KIND, { y0: 1, axis: 'y' }, { y: 2 }), 1000)
    assert.equal(compute(KIND, { z0: 1, axis: 'z', azimuth: 12 }, { z: 2 }), 1000)
    for (const axis of ['x', 'y']) {
      const turned = { ...REFERENCE, azimuth: 12, axis }
      assert.equal(compute(KIND, turned, { x: 1 }), undefined)
      assert.equal(compute(KIND, turned, { y: 1 }), undefined)
    }
  })

  test('keeps its length when it is turned, and turns back', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true })
    const angle = fc.double({ min: -360, max: 360, noNaN: true })
    fc.assert(
      fc.property(number, number, angle, (x, y, azimuth) => {
        const [along, across] = turn(x, y, azimuth) as [number, number]
        assert.ok(isClose(Math.hypot(along, across), 1000 * Math.hypot(x, y)))
        const [backX, backY] = turn(along / 1000, across / 1000, -azimuth)
        assert.ok(isClose(backX, 1000 * x, 1000) && isClose(backY, 1000 * y, 1000))
      }),
    )
  })
})
