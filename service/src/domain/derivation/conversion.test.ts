import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  checkConversion,
  CONVERSIONS,
  findConversion,
  inputNames,
  prepareConversion,
} from './conversion.ts'
import type { ConversionKind } from './conversions/conversion-kind.ts'
import { RefusedError } from '../../errors/refused-error.ts'

type Settings = Parameters<typeof checkConversion>[0]

const VIBRATING_WIRE = { k: 0.00391, kt: 12.2, f0: 1580.2, t0: 19.5 }
const KINDS =
  'linear, polynomial, vibratingWireStrain, vibratingWireDigits, vibratingWirePiezometer, ' +
  'tiltDisplacement, cableForce, gnss, expression'
const KNOWN = 'known are k, f0, kt, t0, sign, frequency, temperature'
const CABLE = { mass: 50, length: 100, order: 1, unit: 'kN' }

describe('the settings of a conversion', () => {
  test('are accepted with the needed parameters, and keys for the inputs', () => {
    const accepted: [string, Settings['parameters']][] = [
      ['linear', { k: 2 }],
      ['linear', { k: 2, v0: 1, c: -3, value: 'level' }],
      ['polynomial', { c3: 1 }],
      ['vibratingWireStrain', VIBRATING_WIRE],
      ['vibratingWireStrain', { k: 1, f0: 1580.2 }],
      ['vibratingWireStrain', { k: 1, f0: 1580.2, kt: 0, sign: 'minus' }],
      ['vibratingWireStrain', { ...VIBRATING_WIRE, frequency: 'f', temperature: 't' }],
      ['vibratingWireDigits', { k: 1, r0: 2, reads: 'frequency', frequency: 'f' }],
      ['vibratingWirePiezometer', { k: 1, f0: 2 }],
      ['vibratingWirePiezometer', { k: 1, f0: 2, output: 'level', elevation: 0 }],
      ['tiltDisplacement', { length: 2 }],
      ['cableForce', CABLE],
      ['gnss', { axis: 'x', x0: 0 }],
      ['expression', { formula: 'a * x + 频率', a: 1, 频率: 'f1' }],
    ]
    for (const [kind, parameters] of accepted)
      assert.doesNotThrow(() => checkConversion({ kind, parameters }))
  })

  test('are refused with a sentence that lists what is known', () => {
    const sentences: [string, string, Record<string, number | string>][] = [
      [`unknown conversion "cubic", known are ${KINDS}`, 'cubic', {}],
      [`unknown conversion "toString", known are ${KINDS}`, 'toString', {}],
      ['linear needs parameter k, known are k, v0, c, value', 'linear', {}],
      ['linear has no parameter "gain", known are k, v0, c, value', 'linear', { k: 1, gain: 2 }],
      [
        'linear has no parameter "constructor", known are k, v0, c, value',
        'linear',
        { k: 1, constructor: 2 },
      ],
      ['parameter k of linear is "2", expected a finite number', 'linear', { k: '2' }],
      ['parameter k of linear is null, expected a finite number', 'linear', { k: NaN }],
      ['parameter value of linear is 1, expected the key of a raw item', 'linear', { value: 1 }],
      ['parameter value of linear is "", expected the key of a raw item', 'linear', { value: '' }],
      [`vibratingWireStrain needs parameter f0, ${KNOWN}`, 'vibratingWireStrain', { k: 1 }],
      [
        `vibratingWireStrain needs parameter t0 beside kt, ${KNOWN}`,
        'vibratingWireStrain',
        { k: 1, f0: 2, kt: 3 },
      ],
      [
        'parameter sign of vibratingWireStrain is "-", expected one of plus, minus',
        'vibratingWireStrain',
        { k: 1, f0: 2, sign: '-' },
      ],
      ['polynomial needs at least one of c0 to c9', 'polynomial', { value: 'v' }],
      [
        'vibratingWirePiezometer needs parameter elevation for output: level',
        'vibratingWirePiezometer',
        { k: 1, f0: 2, output: 'level' },
      ],
      [
        'parameter elevation of vibratingWirePiezometer has no meaning for output: head, ' +
          'expected output: level',
        'vibratingWirePiezometer',
        { k: 1, f0: 2, output: 'head', elevation: 3 },
      ],
      [
        'parameter unitWeight of vibratingWirePiezometer is 0, expected a finite number above 0',
        'vibratingWirePiezometer',
        { k: 1, f0: 2, unitWeight: 0 },
      ],
      [
        'parameter length of tiltDisplacement is 0, expected a finite number above 0',
        'tiltDisplacement',
        { length: 0 },
      ],
      [
        'parameter length of cableForce is -1, expected a finite number above 0',
        'cableForce',
        { ...CABLE, length: -1 },
      ],
      [
        'parameter mass of cableForce is 0, expected a finite number above 0',
        'cableForce',
        { ...CABLE, mass: 0 },
      ],
      [
        'parameter order of cableForce is 0, expected a whole number above 0',
        'cableForce',
        { ...CABLE, order: 0 },
      ],
      [
        'parameter order of cableForce is 1.5, expected a whole number above 0',
        'cableForce',
        { ...CABLE, order: 1.5 },
      ],
      ['cableForce needs parameter unit: N or kN', 'cableForce', { mass: 1, length: 1, order: 1 }],
      [
        'parameter unit of cableForce is "kn", expected one of N, kN',
        'cableForce',
        { ...CABLE, unit: 'kn' },
      ],
      ['gnss needs parameter axis: x or y or z', 'gnss', { x0: 1 }],
      ['gnss needs parameter z0 for axis: z', 'gnss', { axis: 'z', x0: 1 }],
      ['gnss needs parameter y0 for axis: x', 'gnss', { axis: 'x', x0: 1, azimuth: 10 }],
      [
        'expression needs parameter formula: the formula, such as k * (frequency^2 - f0^2) + offset',
        'expression',
        {},
      ],
      ['parameter formula of expression is 1, expected a text', 'expression', { formula: 1 }],
      [
        'parameter formula of expression: character 5: expected a number, a name or (, found )',
        'expression',
        { formula: 'a + )' },
      ],
      [
        'parameter formula of expression is a text and has no value to compute with',
        'expression',
        { formula: 'formula + 1' },
      ],
      [
        'expression has no parameter "kk", known are formula, k, x',
        'expression',
        { formula: 'k * x', kk: 1 },
      ],
      [
        'expression reads no raw value, expected a name in its formula that is no number',
        'expression',
        { formula: 'k * 2', k: 1 },
      ],
    ]
    for (const [sentence, kind, parameters] of sentences) {
      const expected = new RefusedError('invalid', sentence)
      assert.throws(() => checkConversion({ kind, parameters }), expected)
      assert.throws(() => prepareConversion({ kind, parameters }), expected)
    }
  })
})

describe('the table of conversions', () => {
  test('is frozen', () => {
    assert.ok(Object.isFrozen(CONVERSIONS))
  })

  test('is read by its own names only', () => {
    assert.equal(findConversion('linear'), CONVERSIONS.linear)
    assert.equal(findConversion('__proto__'), undefined)
    assert.deepEqual(inputNames({ kind: '__proto__', parameters: {} }), [])
  })

  for (const [kind, { parameters, texts = {}, inputs }] of Object.entries<ConversionKind>(
    CONVERSIONS,
  )) {
    test(`says of ${kind} what every number, text and input is, each under a name of its own`, () => {
      const all = [parameters, texts, inputs].flatMap((table) => Object.keys(table))

      assert.equal(new Set(all).size, all.length)
      for (const { unit, description } of Object.values(parameters))
        assert.ok(unit !== '' && description !== '')
      for (const { description, oneOf, default: preset } of Object.values(texts)) {
        assert.ok(description !== '')
        assert.ok(preset === undefined || oneOf?.includes(preset))
      }
      const reserved = new Set(['kind', 'item', 'sensor', 'validFrom', 'combine'])
      assert.deepEqual(
        all.filter((name) => reserved.has(name)),
        [],
      )
    })
  }
})
