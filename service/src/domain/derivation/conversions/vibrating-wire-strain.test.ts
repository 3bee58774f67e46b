import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compute } from './_compute.ts'

const KIND = 'vibratingWireStrain'

describe('the vibrating wire strain', () => {
  test('is k(f² - f0²) + kt(T - T0)', () => {
    const parameters = { k: 0.004, f0: 1500, kt: 12.2, t0: 20 }

    // 0.004 (1600² - 1500²) + 12.2 (25 - 20) = 0.004 · 310000 + 61 = 1301
    assert.equal(compute(KIND, parameters, { frequency: 1600, temperature: 25 }), 1301)
    // 0.004 (1400² - 1500²) + 12.2 (15 - 20) = -0.004 · 290000 - 61 = -1221
    assert.equal(compute(KIND, parameters, { frequency: 1400, temperature: 15 }), -1221)
  })

  test('has the frequencies the other way round with sign: minus, the temperature not', () => {
    const parameters = { k: 0.004, f0: 1500, kt: 12.2, t0: 20, sign: 'minus' }

    // 0.004 (1500² - 1600²) + 12.2 (25 - 20) = -1240 + 61 = -1179
    assert.equal(compute(KIND, parameters, { frequency: 1600, temperature: 25 }), -1179)
  })

  test('is 0 at the reference state', () => {
    const parameters = { k: 0.00391, f0: 1580.2, kt: 12.2, t0: 19.5 }

    assert.equal(compute(KIND, parameters, { frequency: 1580.2, temperature: 19.5 }), 0)
  })

  test('needs no temperature when nothing is corrected for it', () => {
    assert.equal(compute(KIND, { k: 0.004, f0: 1500 }, { frequency: 1600 }), 1240)
    assert.equal(compute(KIND, { k: 0.004, f0: 1500, kt: 0, t0: 20 }, { frequency: 1600 }), 1240)
  })

  test('gives nothing without a finite result', () => {
    const parameters = { k: 0.004, f0: 1500, kt: 12.2, t0: 20 }

    assert.equal(compute(KIND, parameters, { frequency: 1600 }), undefined)
    assert.equal(compute(KIND, parameters, { temperature: 25 }), undefined)
    assert.equal(compute(KIND, parameters, { frequency: Infinity, temperature: 25 }), undefined)
  })

  test('rises with the frequency, and falls with it with sign: minus', () => {
    const frequency = fc.integer({ min: 400, max: 6000 })
    fc.assert(
      fc.property(frequency, frequency, frequency, (f0, one, other) => {
        const strain = (frequency: number, sign: string) =>
          compute(KIND, { k: 0.004, f0, sign }, { frequency })!
        assert.equal(Math.sign(strain(one, 'plus') - strain(other, 'plus')), Math.sign(one - other))
        assert.equal(strain(one, 'minus') + strain(one, 'plus'), 0)
      }),
    )
  })
})
