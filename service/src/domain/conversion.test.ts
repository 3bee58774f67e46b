import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkConversion, CONVERSIONS, findConversion } from './conversion.ts'
import { RefusedError } from './refused-error.ts'

type Settings = Parameters<typeof checkConversion>[0]

const VIBRATING_WIRE = { k: 0.00391, kt: 12.2, f0: 1580.2, t0: 19.5 }
const KNOWN = 'known are k, f0, kt, t0, frequency, temperature'

describe('the settings of a conversion', () => {
  test('are accepted with the needed parameters, and keys for the inputs', () => {
    const accepted: Settings[] = [
      { kind: 'linear', parameters: { k: 2 } },
      { kind: 'linear', parameters: { k: 2, v0: 1, c: -3, value: 'level' } },
      { kind: 'vibratingWireStrain', parameters: VIBRATING_WIRE },
      { kind: 'vibratingWireStrain', parameters: { k: 1, f0: 1580.2 } },
      { kind: 'vibratingWireStrain', parameters: { k: 1, f0: 1580.2, kt: 0 } },
      {
        kind: 'vibratingWireStrain',
        parameters: { ...VIBRATING_WIRE, frequency: 'f', temperature: 't' },
      },
    ]
    for (const settings of accepted) assert.doesNotThrow(() => checkConversion(settings))
  })

  test('are refused with a sentence that lists what is known', () => {
    const sentences: [string, string, Record<string, number | string>][] = [
      ['unknown conversion "cubic", known are linear, vibratingWireStrain', 'cubic', {}],
      ['unknown conversion "toString", known are linear, vibratingWireStrain', 'toString', {}],
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
    ]
    for (const [sentence, kind, parameters] of sentences) {
      const expected = new RefusedError('invalid', sentence)
      assert.throws(() => checkConversion({ kind, parameters }), expected)
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
  })

  for (const [kind, { parameters, inputs, convert }] of Object.entries(CONVERSIONS)) {
    test(`holds for ${kind} the defaults it computes with`, () => {
      const read = Object.fromEntries(Object.keys(inputs).map((name, index) => [name, index + 7]))
      const needed: [string, number][] = []
      const defaults: [string, number][] = []
      for (const [name, { default: preset }] of Object.entries(parameters)) {
        if (preset === undefined) needed.push([name, 3])
        else defaults.push([name, preset])
      }

      const spelledOut = convert(read, Object.fromEntries([...needed, ...defaults]))

      assert.ok(spelledOut !== undefined)
      assert.equal(convert(read, Object.fromEntries(needed)), spelledOut)
    })
  }
})
