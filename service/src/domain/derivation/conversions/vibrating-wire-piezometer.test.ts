import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const KIND = 'vibratingWirePiezometer'
const GAUGE = { k: 0.0001, f0: 3000 }

describe('the vibrating wire piezometer', () => {
  test('gives the pressure k(f0² - f²) + kt(T - T0)', () => {
    // 0.0001 (3000² - 2800²) = 0.0001 · 1160000 = 116 kPa
    assert.ok(isClose(compute(KIND, GAUGE, { frequency: 2800 }), 116))
    // and 0.05 (10 - 20) = -0.5 kPa for the temperature
    const corrected = { ...GAUGE, kt: 0.05, t0: 20 }
    assert.ok(isClose(compute(KIND, corrected, { frequency: 2800, temperature: 10 }), 115.5))
  })

  test('gives the head P / 9.80665', () => {
    // 0.00980665 (1000² - 900²) / 9.80665 = 0.00980665 · 190000 / 9.80665 = 190 m
    const parameters = { k: 0.00980665, f0: 1000, output: 'head' }

    assert.ok(isClose(compute(KIND, parameters, { frequency: 900 }), 190))
  })

  test('gives the level, elevation + head', () => {
    // head 190 m as above, from -12.5 m: 177.5 m
    const parameters = { k: 0.00980665, f0: 1000, output: 'level', elevation: -12.5 }

    assert.ok(isClose(compute(KIND, parameters, { frequency: 900 }), 177.5))
  })

  test('takes the weight of other water', () => {
    // 116 kPa / 10 kN/m³ = 11.6 m
    const parameters = { ...GAUGE, output: 'head', unitWeight: 10 }

    assert.ok(isClose(compute(KIND, parameters, { frequency: 2800 }), 11.6))
  })

  test('gives nothing without its frequency, or the temperature it corrects for', () => {
    for (const output of ['pressure', 'head']) {
      assert.equal(compute(KIND, { ...GAUGE, output }, {}), undefined)
      const corrected = { ...GAUGE, output, kt: 1, t0: 1 }
      assert.equal(compute(KIND, corrected, { frequency: 2800 }), undefined)
    }
  })

  test('has more pressure the slower the wire', () => {
    const frequency = fc.integer({ min: 400, max: 6000 })
    fc.assert(
      fc.property(frequency, frequency, (one, other) => {
        const pressures = [one, other].map((frequency) => compute(KIND, GAUGE, { frequency })!)
        assert.equal(Math.sign(pressures[0]! - pressures[1]!), Math.sign(other - one))
      }),
    )
  })
})
