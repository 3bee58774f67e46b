import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { add, sine } from './_signals.ts'
import { integralUnit, integrate } from './integrate.ts'

const SAMPLE_HZ = 200

describe('integration', () => {
  for (const count of [4_000, 4_001, 3_989])
    test(`of a sine over ${count} samples is the cosine and the sine of the closed form`, () => {
      const bin = 60
      const omega = (2 * Math.PI * bin * SAMPLE_HZ) / count
      const samples = sine(count, 5, bin, 0.3).map((sample) => sample + 7)
      const band = { low: 0.5, high: 50 }

      const velocity = integrate(samples, SAMPLE_HZ, { times: 1, ...band })
      const displacement = integrate(samples, SAMPLE_HZ, { times: 2, ...band })

      const cosine = sine(count, -5 / omega, bin, 0.3 + Math.PI / 2)
      for (const [n, expected] of cosine.entries())
        assert.ok(Math.abs(velocity[n]! - expected) < 1e-12, `velocity ${n}`)
      for (const [n, expected] of sine(count, -5 / omega ** 2, bin, 0.3).entries())
        assert.ok(Math.abs(displacement[n]! - expected) < 1e-13, `displacement ${n}`)
    })

  test('removes frequencies outside the band and keeps both of its ends', () => {
    const [first, last, below, above] = [40, 400, 10, 900].map((bin) => sine(4_000, 1, bin))
    const samples = add(add(first!, last!), add(below!, above!))
    const band = { low: 2, high: 20 }

    const velocity = integrate(samples, SAMPLE_HZ, { times: 1, ...band })

    const expected = integrate(add(first!, last!), SAMPLE_HZ, { times: 1, low: 0.1, high: 100 })
    for (const [n, value] of velocity.entries()) assert.ok(Math.abs(value - expected[n]!) < 1e-13)
  })

  test('of samples without anything in the band is 0', () => {
    for (const count of [1, 2, 3, 100])
      assert.ok(
        integrate(new Float64Array(count).fill(9), 1, { times: 2, low: 0.1, high: 1 }).every(
          (value) => Math.abs(value) < 1e-15,
        ),
      )
  })

  test('from 0 Hz or with low above high is refused', () => {
    for (const [low, high] of [
      [0, 1],
      [-1, 1],
      [2, 1],
      [NaN, 1],
    ] as const)
      assert.throws(
        () => integrate(new Float64Array(4), 1, { times: 1, low, high }),
        /expected more than 0/,
      )
  })

  test('has a unit of its own', () => {
    for (const [unit, velocity, displacement] of [
      ['cm/s²', 'cm/s', 'cm'],
      ['cm/s2', 'cm/s', 'cm'],
      ['mm/s^2', 'mm/s', 'mm'],
      [' m / sec2 ', 'm/s', 'm'],
      ['g', 'g·s', 'g·s²'],
      ['', 's', 's²'],
      ['/s2', '/s2·s', '/s2·s²'],
    ] as const)
      assert.deepEqual([integralUnit(unit, 1), integralUnit(unit, 2)], [velocity, displacement])
  })
})
