import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { divide, parseRatio, type Ratio } from './ratio.ts'
import { normalizeUnit } from './unit-spelling.ts'
import { UNITS_BY_KIND } from './unit-table.ts'
import { convertValue, describeMismatch, findConversion } from './units.ts'

/** A value in another unit; NaN where the units do not convert. */
function convert(value: number, from: string, to: string): number {
  const found = findConversion(from, to)
  if (found === 'same') return value
  return found === undefined ? NaN : convertValue(found, value)
}

const KINDS = Object.entries(UNITS_BY_KIND).map(
  ([kind, units]) => [kind, Object.keys(units)] as const,
)
const ALL = KINDS.flatMap(([kind, units]) => units.map((unit) => ({ kind, unit })))

/** The table's factor of a unit, without the rounding of a double. */
function ratioOf(kind: string, unit: string): Ratio {
  const [amount, by = '1'] = UNITS_BY_KIND[kind]![unit]!.ratio
  return divide(parseRatio(amount), parseRatio(by))
}

/** The rows of the page's table of units. */
const PAGE_UNITS = Object.fromEntries(
  Array.from(
    readFileSync(new URL('../../../../docs/units.md', import.meta.url), 'utf8').matchAll(
      /^\| (\w+) +\| ([^|\n]+?) +\|$/gm,
    ),
    ([, kind = '', units = '']) => [kind, units.split(', ')],
  ).filter(([kind]) => kind !== 'Kind'),
)

test('the page of units has every unit that converts, and no other', () => {
  assert.deepEqual(PAGE_UNITS, Object.fromEntries(KINDS))
})

describe('a value is converted', () => {
  const CASES: [value: number, from: string, to: string, expected: number][] = [
    [1, 'g', 'cm/s²', 980.665],
    [1, 'g', 'm/s²', 9.80665],
    [0.5, 'g', 'gal', 490.3325],
    [980.665, 'cm/s2', 'g', 1],
    [5, 'mm', 'm', 0.005],
    [1, 'in', 'mm', 25.4],
    [1, 'ft', 'in', 12],
    [1, 'psi', 'Pa', 6894.757293168361],
    [14.5, 'psi', 'kPa', 99.97398075094124],
    [1013.25, 'hPa', 'bar', 1.01325],
    [1, 'lbf', 'N', 4.4482216152605],
    [212, '°F', '°C', 100],
    [32, 'degF', 'degC', 0],
    [-40, '°C', '°F', -40],
    [-459.67, '°F', 'K', 0],
    [25, 'Deg C', 'K', 298.15],
    [1, 'cm/s', 'mm/s', 10],
    [1, 'ε', 'microstrain', 1e6],
    [0.25, 'mm/m', 'µε', 250],
    [1.5, '‰', 'µm/m', 1500],
    [1200, 'nε', 'µε', 1.2],
    [180, '°', 'rad', Math.PI],
    [1, 'mrad', 'arcsec', 206.264806247096],
    [1, 'deg', 'arcmin', 60],
    [90, 'arcsec', '′', 1.5],
    [100, 'gon', '°', 90],
    [3.6, 'km/h', 'm/s', 1],
    [1, 'kn', 'km/h', 1.852],
    [36, 'mm/h', 'mm/s', 0.01],
    [24, 'mm/d', 'mm/h', 1],
    [5, 'L/m²', 'mm', 5],
    [1, 'kN/m²', 'Pa', 1000],
    [1, 'N/mm²', 'MPa', 1],
    [1, 'mH2O', 'kPa', 9.80665],
    [760, 'mmHg', 'atm', 1.0000001424663212],
    [29.92, 'inHg', 'hPa', 1013.2074811900272],
    [1, 'ksi', 'MPa', 6.894757293168361],
    [1, 'tf', 'kN', 9.80665],
    [1, 'lb', 'kg', 0.45359237],
    [49.5, 't', 'kg', 49500],
    [2500, 'Hz', 'kHz', 2.5],
    [1, 'mg', 'gal', 0.980665],
  ]

  for (const [value, from, to, expected] of CASES) {
    test(`from ${value} ${from} to ${expected} ${to}`, () => {
      assert.ok(
        Math.abs(convert(value, from, to) - expected) <= 1e-13 * Math.max(1, Math.abs(expected)),
        `${convert(value, from, to)}`,
      )
    })
  }

  test('without a rounding of its own where one unit is a power of ten of the other', () => {
    const property = fc.property(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), (value) => {
      assert.ok(convert(value, 'mm', 'm') === value / 1000)
      assert.ok(convert(value, 'kN', 'N') === value * 1000)
    })
    fc.assert(property, { numRuns: runs(300) })
  })
})

describe('units', () => {
  test('of one kind convert into each other, of two kinds never', () => {
    for (const one of ALL)
      for (const other of ALL)
        assert.equal(
          findConversion(one.unit, other.unit) !== undefined,
          one.kind === other.kind,
          `${one.unit} and ${other.unit}`,
        )
  })

  test('that the table does not know are the same only as themselves', () => {
    assert.equal(findConversion('counts', 'counts'), 'same')
    assert.equal(findConversion('counts', ' co unts'), 'same')
    assert.equal(findConversion('counts', 'cm/s²'), undefined)
    assert.equal(findConversion('counts', 'digits'), undefined)
    assert.equal(findConversion('mPa', 'MPa'), undefined)
    assert.equal(findConversion('mN/m²', 'MN/m²'), undefined)
    assert.equal(findConversion('GN', 'g'), undefined)
    assert.equal(findConversion('__proto__', 'constructor'), undefined)
  })

  test('that do not convert are named, with their kinds where both are known', () => {
    assert.equal(describeMismatch('counts', 'cm/s²'), '"counts" does not convert to "cm/s²"')
    assert.equal(
      describeMismatch('Pa', 'cm/s²'),
      '"Pa" does not convert to "cm/s²": one is a unit of pressure, the other of acceleration',
    )
  })
})

describe('spellings of one unit', () => {
  const SAME = [
    [
      'cm/s²',
      'cm/s2',
      'cm/s^2',
      'cm/s**2',
      'cm / s2',
      'cm/sec/sec',
      'CM/SEC/SEC',
      'cm/s/s',
      'cm/sec^2',
    ],
    ['°C', '℃', 'degC', 'Deg C', 'deg C', 'Celsius', '° C'],
    ['µm', '\u{3bc}m', 'um', 'micron'],
    ['µε', '\u{3bc}ε', 'µ\u{3f5}', 'µ\u{25b}', 'um/m', '\u{3bc}m/m', 'uE', 'microstrain', '微应变'],
    ['mm/m', 'MM/M', 'mm / m'],
    ['″', '′′', 'arcsec'],
    ['mrad', 'milliradians'],
    ['MPa', 'N/mm²', 'N/mm^2'],
    ['mH2O', 'mH₂O', 'MH2O'],
    ['°C', '\u{ba}C', '\u{2da}C'],
    ['gal', 'Gal', 'GAL'],
    ['kPa', 'KPA', 'kpa'],
    ['W/m²', 'W/m2', 'W/m^2', 'W / m²'],
    ['°', 'deg', 'Degrees'],
  ]

  for (const [first = '', ...others] of SAME) {
    test(`are those of ${first}`, () => {
      for (const other of others) assert.equal(findConversion(first, other), 'same', other)
    })
  }

  test('are one text however often they are normalised', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...SAME.flat(), ...ALL.map(({ unit }) => unit)),
    )
    const property = fc.property(text, (unit) => {
      const once = normalizeUnit(unit)

      assert.equal(normalizeUnit(once), once)
      assert.equal(findConversion(unit, once), 'same')
    })
    fc.assert(property, { numRuns: runs(500) })
  })
})

const units = fc.constantFrom(...KINDS).chain(([kind, names]) => {
  const unit = fc.constantFrom(...names)
  return fc.record({ kind: fc.constant(kind), a: unit, b: unit, c: unit })
})
/** Without numbers so small that doubles hold them with fewer places. */
const value = fc
  .double({ noNaN: true, min: -1e9, max: 1e9 })
  .map((one) => (Math.abs(one) < 1e-290 ? 0 : one))

/** How much rounding may show: by the last place of the value or, with an offset, of the offset too. */
function lastPlaces(count: number, kind: string, ...values: number[]): number {
  const offset = kind === 'temperature' ? 1000 : Number.MIN_VALUE
  return count * Number.EPSILON * Math.max(offset, ...values.map(Math.abs))
}

describe('conversion', () => {
  test('back gives the value again to four last places', () => {
    const property = fc.property(units, value, ({ kind, a, b }, value) => {
      const there = convert(value, a, b)
      const back = convert(there, b, a)

      assert.ok(Math.abs(back - value) <= lastPlaces(4, kind, value), `${value} ${a} ${b} ${back}`)
    })
    fc.assert(property, { numRuns: runs(2000) })
  })

  test('over a third unit gives the same to six last places', () => {
    const property = fc.property(units, value, ({ kind, a, b, c }, value) => {
      const direct = convert(value, a, c)
      const around = convert(convert(value, a, b), b, c)

      assert.ok(
        Math.abs(around - direct) <= lastPlaces(6, kind, direct),
        `${value} ${a} ${b} ${c}: ${direct} ${around}`,
      )
    })
    fc.assert(property, { numRuns: runs(2000) })
  })

  test('is within two last places of the exact quotient', () => {
    const whole = fc.integer({ min: -1_000_000, max: 1_000_000 })
    const linear = units.filter(({ kind }) => kind !== 'temperature')
    const property = fc.property(linear, whole, ({ kind, a, b }, value) => {
      const { numerator, denominator } = divide(ratioOf(kind, a), ratioOf(kind, b))
      const scale = 10n ** 60n
      const exact = Number((BigInt(value) * numerator * scale) / denominator) / 1e60

      assert.ok(Math.abs(convert(value, a, b) - exact) <= lastPlaces(2, kind, exact))
    })
    fc.assert(property, { numRuns: runs(1000) })
  })
})
