import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { vibratingWireStrain } from './vibrating-wire-strain.ts'

const { convert } = vibratingWireStrain

describe('the vibrating wire strain', () => {
  test('is k(f² - f0²) + kt(T - T0)', () => {
    const parameters = { k: 0.004, f0: 1500, kt: 12.2, t0: 20 }

    // 0.004 (1600² - 1500²) + 12.2 (25 - 20) = 0.004 · 310000 + 61 = 1301
    assert.equal(convert({ frequency: 1600, temperature: 25 }, parameters), 1301)
    // 0.004 (1400² - 1500²) + 12.2 (15 - 20) = -0.004 · 290000 - 61 = -1221
    assert.equal(convert({ frequency: 1400, temperature: 15 }, parameters), -1221)
  })

  test('has the opposite sign with a negative k', () => {
    assert.equal(convert({ frequency: 1600 }, { k: -0.004, f0: 1500 }), -1240)
  })

  test('is 0 at the reference state', () => {
    const parameters = { k: 0.00391, f0: 1580.2, kt: 12.2, t0: 19.5 }

    assert.equal(convert({ frequency: 1580.2, temperature: 19.5 }, parameters), 0)
  })

  test('needs no temperature when nothing is corrected for it', () => {
    assert.equal(convert({ frequency: 1600 }, { k: 0.004, f0: 1500 }), 1240)
    assert.equal(convert({ frequency: 1600 }, { k: 0.004, f0: 1500, kt: 0, t0: 20 }), 1240)
  })

  test('gives nothing without a finite result', () => {
    const parameters = { k: 0.004, f0: 1500, kt: 12.2, t0: 20 }

    assert.equal(convert({ frequency: 1600 }, parameters), undefined)
    assert.equal(convert({ temperature: 25 }, parameters), undefined)
    assert.equal(convert({ frequency: Infinity, temperature: 25 }, parameters), undefined)
    assert.equal(convert({ frequency: 1600, temperature: 25 }, { k: 1 }), undefined)
    assert.equal(convert({ frequency: 1600, temperature: 25 }, { f0: 1 }), undefined)
  })
})
