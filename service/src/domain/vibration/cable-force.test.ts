import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cableForce } from './cable-force.ts'

test('a cable of 60 kg/m and 100 m with 1.25 Hz has a force of 3.75 MN', () => {
  const cable = { massPerMetre: 60, length: 100 }

  assert.equal(cableForce({ ...cable, frequency: 1.25, mode: 1 }), 3_750_000)
  assert.equal(cableForce({ ...cable, frequency: 3.75, mode: 3 }), 3_750_000)
})

test('the frequencies of a taut string give its force', () => {
  const size = fc.double({ min: 0.1, max: 1_000, noNaN: true })
  const mode = fc.integer({ min: 1, max: 20 })
  const property = fc.property(size, size, size, mode, (massPerMetre, length, force, mode) => {
    const frequency = (mode / (2 * length)) * Math.sqrt(force / massPerMetre)
    const found = cableForce({ massPerMetre, length, frequency, mode })

    assert.ok(Math.abs(found / force - 1) < 1e-12)
  })
  fc.assert(property)
})

test('a parameter that is not above 0 is refused by its name', () => {
  const cable = { massPerMetre: 60, length: 100, frequency: 1, mode: 1 }
  for (const name of Object.keys(cable))
    for (const value of [0, -1, NaN])
      assert.throws(
        () => cableForce({ ...cable, [name]: value }),
        new RegExp(`^RefusedError: ${name} is`),
      )
})
