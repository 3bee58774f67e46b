import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute, isClose } from './_compute.ts'

const KIND = 'vibratingWireDigits'

describe('the vibrating wire conversion in digits', () => {
  test('is k(R - R0) + kt(T - T0)', () => {
    const parameters = { k: 0.25, r0: 2500, kt: -0.5, t0: 20 }

    // 0.25 (2560 - 2500) - 0.5 (28 - 20) = 15 - 4 = 11
    assert.equal(compute(KIND, parameters, { digits: 2560, temperature: 28 }), 11)
    // the other way round: 0.25 (2500 - 2560) - 4 = -19
    const minus = { ...parameters, sign: 'minus' }
    assert.equal(compute(KIND, minus, { digits: 2560, temperature: 28 }), -19)
  })

  test('makes digits of a frequency when it is told to', () => {
    // R = 1600²/1000 = 2560; 0.25 (2560 - 2500) = 15
    const parameters = { k: 0.25, r0: 2500, reads: 'frequency' }

    assert.equal(compute(KIND, parameters, { frequency: 1600 }), 15)
    assert.equal(compute(KIND, parameters, { digits: 2560 }), undefined)
    assert.equal(compute(KIND, { k: 0.25, r0: 2500 }, { frequency: 1600 }), undefined)
  })

  test('needs the temperature that it corrects for', () => {
    assert.equal(compute(KIND, { k: 1, r0: 1, kt: 2, t0: 3 }, { digits: 5 }), undefined)
  })

  test('is the one in hertz with a factor of a thousandth', () => {
    const frequency = fc.double({ min: 400, max: 6000, noNaN: true })
    fc.assert(
      fc.property(frequency, frequency, (f0, frequency) => {
        const digits = { k: 4, r0: f0 ** 2 / 1000, reads: 'frequency' }
        const hertz = compute('vibratingWireStrain', { k: 0.004, f0 }, { frequency })!
        assert.ok(isClose(compute(KIND, digits, { frequency }), hertz, 1e6))
      }),
    )
  })
})
