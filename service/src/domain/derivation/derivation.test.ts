import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  derivationInForce,
  deriveItem,
  deriveValue,
  prepareDerivation,
  type RawLookup,
} from './derivation.ts'
import { zone } from '../time/local-time.ts'
import type { ConversionSettings } from '../site/site-entry.ts'

const SHANGHAI = zone('Asia/Shanghai')

const strain: ConversionSettings = {
  kind: 'vibratingWireStrain',
  item: 'strain',
  sensor: 'A',
  validFrom: null,
  parameters: { k: 0.004, f0: 1500, kt: 12.2, t0: 20 },
  inputs: [{ frequency: { sensor: 'A', key: 'f1' }, temperature: { sensor: 'B', key: 't' } }],
}

const prepare = (settings: Partial<ConversionSettings> = {}, precision = 0.1) =>
  prepareDerivation({ ...strain, ...settings }, { precision, zone: SHANGHAI })

/** Values by `sensor/key`. */
const from =
  (values: Record<string, number>): RawLookup =>
  (sensor, key) =>
    values[`${sensor}/${key}`]

describe('a derived item', () => {
  test('has its value with everything that it comes from', () => {
    const derived = deriveItem(prepare(), from({ 'A/f1': 1600.0375, 'B/t': 25.256 }))

    // 0.004 (1600.0375² - 1500²) + 12.2 (25.256 - 20) = 1304.6032056…
    assert.deepEqual(derived, {
      value: 1304.6,
      unrounded: 0.004 * (1600.0375 ** 2 - 1500 ** 2) + 12.2 * (25.256 - 20),
      kind: 'vibratingWireStrain',
      parameters: { k: 0.004, f0: 1500, kt: 12.2, t0: 20 },
      validFrom: null,
      inputs: [
        { name: 'frequency', sensor: 'A', key: 'f1', value: 1600.0375 },
        { name: 'temperature', sensor: 'B', key: 't', value: 25.256 },
      ],
    })
  })

  test('that lacks an input says which', () => {
    const derived = deriveItem(prepare(), from({ 'A/f1': 1600 }))

    assert.equal(derived.absent, 'sensor B has no value of t')
    assert.deepEqual(derived.inputs[1], { name: 'temperature', sensor: 'B', key: 't' })
    assert.ok(!('value' in derived) && !('unrounded' in derived))
    assert.equal(
      deriveItem(prepare(), from({})).absent,
      'sensor A has no value of f1; sensor B has no value of t',
    )
  })

  test('that is no finite number says so', () => {
    const derived = deriveItem(prepare(), from({ 'A/f1': 1e200, 'B/t': 20 }))

    assert.equal(derived.absent, 'the result is not a finite number')
  })

  test('of settings that nothing can be computed with says why', () => {
    const unknown = deriveItem(prepare({ kind: 'cubic' }), from({ 'A/f1': 1600, 'B/t': 20 }))
    const broken = prepare({ kind: 'expression', parameters: { formula: '1 +' } })

    assert.match(unknown.absent ?? '', /^unknown conversion "cubic", known are linear,/)
    assert.match(
      deriveItem(broken, from({})).absent ?? '',
      /^parameter formula of expression: char/,
    )
    assert.equal(deriveValue(broken, from({})), undefined)
  })

  test('of an entry that holds its raw keys among the parameters is the same', () => {
    const { inputs: _, ...old } = strain
    const parameters = { k: 0.004, f0: 1500, frequency: 'f1' }
    const derivation = prepareDerivation({ ...old, parameters }, { precision: 1, zone: SHANGHAI })

    const derived = deriveItem(derivation, from({ 'A/f1': 1600 }))

    assert.equal(derived.value, 1240)
    assert.deepEqual(derived.parameters, { k: 0.004, f0: 1500 })
    assert.deepEqual(derived.inputs, [
      { name: 'frequency', sensor: 'A', key: 'f1', value: 1600 },
      { name: 'temperature', sensor: 'A', key: 'temperature' },
    ])
  })

  test('keeps nothing of one record for the next', () => {
    const derivation = prepare()

    assert.notEqual(deriveValue(derivation, from({ 'A/f1': 1600, 'B/t': 20 })), undefined)
    assert.equal(deriveValue(derivation, from({ 'A/f1': 1600 })), undefined)
  })
})

const linear = (combine: ConversionSettings['combine']) =>
  prepare(
    {
      kind: 'linear',
      parameters: { k: 2 },
      inputs: ['A', 'B', 'C'].map((sensor) => ({ value: { sensor, key: 'v' } })),
      ...(combine === undefined ? {} : { combine }),
    },
    0.001,
  )

describe('the values of several sensors', () => {
  const values = from({ 'A/v': 1, 'B/v': -4, 'C/v': 8 })

  test('are combined after each is converted', () => {
    // 2, -8 and 16: mean 10/3
    assert.equal(deriveValue(linear('mean'), values), 3.3333)
    assert.equal(deriveValue(linear('maximum'), values), 16)
    assert.equal(deriveValue(linear('minimum'), values), -8)
    assert.equal(deriveValue(linear('sum'), values), 10)
  })

  test('are told one by one', () => {
    const derived = deriveItem(linear('mean'), values)

    assert.equal(derived.combine, 'mean')
    assert.deepEqual(
      derived.inputs.map(({ sensor, value }) => [sensor, value]),
      [
        ['A', 1],
        ['B', -4],
        ['C', 8],
      ],
    )
  })

  test('are no value as soon as one is missing', () => {
    for (const combine of ['mean', 'maximum', 'minimum', 'sum'] as const) {
      const derived = deriveItem(linear(combine), from({ 'A/v': 1, 'C/v': 8 }))
      assert.equal(derived.absent, 'sensor B has no value of v')
    }
  })
})

test('the value alone is the value with its origin', () => {
  const some = fc.option(fc.double({ noNaN: true }), { nil: undefined })
  const combine = fc.constantFrom('mean', 'maximum', 'minimum', 'sum', undefined)
  const property = fc.property(
    fc.array(some, { minLength: 1, maxLength: 4 }),
    combine,
    (all, by) => {
      const derivation = prepare({
        kind: 'expression',
        parameters: { formula: 'a * v + v^2 / 3', a: 0.7 },
        inputs: all.map((_, index) => ({ v: { sensor: String(index), key: 'v' } })),
        ...(by === undefined ? {} : { combine: by }),
      })
      const lookup: RawLookup = (sensor) => all[Number(sensor)]
      const { value, absent, unrounded } = deriveItem(derivation, lookup)
      assert.equal(deriveValue(derivation, lookup), value)
      assert.equal(value === undefined, absent !== undefined)
      assert.equal(value === undefined, unrounded === undefined)
      const read = by === undefined ? all.slice(0, 1) : all
      if (read.includes(undefined)) assert.equal(value, undefined)
    },
  )
  fc.assert(property)
})

const prepareAll = (starts: readonly (string | null)[]) =>
  starts.map((validFrom) => prepare({ validFrom }))

const at = (time: string) => Date.parse(`${time}+08:00`)

describe('of several conversions of an item', () => {
  const starts = ['2026-03-01 12:00:00', null, '2026-05-01 00:00:00']

  test('the one with the latest start that is not after the record applies', () => {
    const rows: [time: string, validFrom: string | null][] = [
      ['2020-01-01T00:00:00', null],
      ['2026-03-01T11:59:59.999', null],
      ['2026-03-01T12:00:00', '2026-03-01 12:00:00'],
      ['2026-04-30T23:59:59', '2026-03-01 12:00:00'],
      ['2026-05-01T00:00:00', '2026-05-01 00:00:00'],
    ]
    for (const [time, validFrom] of rows) {
      const derivation = derivationInForce(prepareAll(starts), at(time))
      assert.equal(derivation?.settings.validFrom, validFrom, time)
    }
  })

  test('none applies before the first of them, or from a day that does not exist', () => {
    const later = prepareAll(starts.filter((validFrom) => validFrom !== null))
    const never = prepareAll(['2026-02-30 00:00:00'])

    assert.equal(derivationInForce(later, at('2026-03-01T11:59:59')), undefined)
    assert.equal(derivationInForce([], 0), undefined)
    assert.equal(derivationInForce(never, at('2027-01-01T00:00:00')), undefined)
  })
})
