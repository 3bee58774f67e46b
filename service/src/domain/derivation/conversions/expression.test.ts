import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inputNames, prepareConversion } from '../conversion.ts'
import { compute } from './_compute.ts'

const STRAIN = { formula: 'k * (frequency^2 - f0^2) + offset', k: 0.004, f0: 1500, offset: 2 }

describe('the conversion by a formula', () => {
  test('computes with numbers of its own and raw values', () => {
    // 0.004 (1600² - 1500²) + 2 = 1242
    assert.equal(compute('expression', STRAIN, { frequency: 1600 }), 1242)
    assert.equal(compute('expression', STRAIN, { frequency: 1500 }), 2)
  })

  test('reads what is no number', () => {
    assert.deepEqual(inputNames({ kind: 'expression', parameters: STRAIN }), ['frequency'])
    const named = { ...STRAIN, frequency: 'f1' }
    assert.deepEqual(inputNames({ kind: 'expression', parameters: named }), ['frequency'])
  })

  test('gives nothing without a raw value, or a finite result', () => {
    assert.equal(compute('expression', STRAIN, {}), undefined)
    assert.equal(compute('expression', { formula: 'sqrt(x)' }, { x: -1 }), undefined)
    assert.equal(compute('expression', { formula: '1 / x' }, { x: 0 }), undefined)
  })

  test('takes names that objects have by themselves as names', () => {
    const parameters = JSON.parse('{"formula":"constructor + __proto__ + toString","__proto__":2}')

    const names = inputNames({ kind: 'expression', parameters })
    assert.deepEqual(names, ['constructor', 'toString'])
    assert.equal(compute('expression', parameters, { constructor: 1, toString: 4 } as never), 7)
  })

  test('keeps nothing of one record for the next', () => {
    const sum = prepareConversion({ kind: 'expression', parameters: { formula: 'x + y' } })

    assert.equal(sum({ x: 1, y: 2 }), 3)
    assert.ok(Number.isNaN(sum({ x: 1 })))
  })
})
