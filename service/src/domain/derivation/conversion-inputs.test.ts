import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inputsOf, parametersOf, sensorsOf } from './conversion-inputs.ts'
import type { ConversionSettings } from '../site/site-entry.ts'

const settings: ConversionSettings = {
  kind: 'vibratingWireStrain',
  item: 'strain',
  sensor: 'A',
  validFrom: null,
  parameters: { k: 1, f0: 2 },
}

describe('the inputs of a conversion', () => {
  test('are those that were found when the site file was applied', () => {
    const inputs = [
      { frequency: { sensor: 'A', key: 'f1' } },
      { frequency: { sensor: 'B', key: 'f' } },
    ]

    assert.deepEqual(inputsOf({ ...settings, inputs }), inputs)
    assert.deepEqual(sensorsOf({ ...settings, inputs }), ['A', 'B'])
  })

  test('of an entry that does not hold them are the keys among its parameters', () => {
    const old = { ...settings, parameters: { k: 1, f0: 2, frequency: 'f1' } }

    assert.deepEqual(inputsOf(old), [
      { frequency: { sensor: 'A', key: 'f1' }, temperature: { sensor: 'A', key: 'temperature' } },
    ])
    assert.deepEqual(sensorsOf(old), ['A'])
    assert.deepEqual(parametersOf(old), { k: 1, f0: 2 })
  })

  test('of an unknown kind are none', () => {
    assert.deepEqual(inputsOf({ ...settings, kind: 'toString' }), [{}])
    assert.deepEqual(sensorsOf({ ...settings, kind: 'toString' }), [])
  })
})
