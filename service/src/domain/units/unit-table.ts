type UnitEntry = Readonly<{
  /** One of the unit in base units of the kind, as a decimal text, or as two to be divided. */
  ratio: readonly [string] | readonly [string, string]
  /** The reading of the unit where the base unit reads 0. */
  zero?: number
}>

const of = (...ratio: UnitEntry['ratio']): UnitEntry => ({ ratio })

/**
 * The units that convert into each other, by kind; the first of each kind is its base unit.
 *
 * Every factor is exact. Sources: BIPM, The International System of Units, 9th edition (prefixes, bar,
 * degree Celsius); ISO 80000-3 and the resolution of CGPM 3 (1901) for g = 9.80665 m/s²; NIST Special
 * Publication 811, appendix B.8, for gal = 0.01 m/s², in = 0.0254 m, ft = 12 in,
 * lbf = 4.4482216152605 N, psi = lbf/in² (6894.757293168361 Pa) and t/°C = (t/°F - 32) · 5/9.
 */
export const UNITS_BY_KIND: Readonly<Record<string, Readonly<Record<string, UnitEntry>>>> = {
  acceleration: {
    'm/s²': of('1'),
    'cm/s²': of('0.01'),
    'mm/s²': of('0.001'),
    gal: of('0.01'),
    g: of('9.80665'),
  },
  velocity: { 'm/s': of('1'), 'cm/s': of('0.01'), 'mm/s': of('0.001'), 'in/s': of('0.0254') },
  length: {
    m: of('1'),
    cm: of('0.01'),
    mm: of('0.001'),
    µm: of('0.000001'),
    in: of('0.0254'),
    ft: of('0.3048'),
  },
  pressure: {
    Pa: of('1'),
    hPa: of('100'),
    kPa: of('1000'),
    MPa: of('1000000'),
    mbar: of('100'),
    bar: of('100000'),
    psi: of('4.4482216152605', '0.00064516'),
  },
  force: { N: of('1'), kN: of('1000'), MN: of('1000000'), lbf: of('4.4482216152605') },
  voltage: { V: of('1'), mV: of('0.001') },
  temperature: {
    '°C': of('1'),
    K: { ratio: ['1'], zero: 273.15 },
    '°F': { ratio: ['5', '9'], zero: 32 },
  },
}
