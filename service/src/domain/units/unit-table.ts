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
 * Every factor is exact but 180/π, which has 23 digits. Sources: BIPM, The International System of Units,
 * 9th edition (prefixes, bar, degree Celsius; table 8: minute and second of angle, tonne, hour, day);
 * ISO 80000-3 and the resolution of CGPM 3 (1901) for g = 9.80665 m/s². NIST Special Publication 811,
 * appendix B.8, has the others: gal, in, ft, gon, mile per hour, knot, kgf, lb, lbf, kip, ksi, psi, the
 * conventional columns of water (1 mm at 9.80665 Pa) and mercury (13595.1 kg/m³), t/°C = (t/°F - 32) · 5/9.
 */
export const UNITS_BY_KIND: Readonly<Record<string, Readonly<Record<string, UnitEntry>>>> = {
  strain: {
    ε: of('1'),
    'mm/m': of('0.001'),
    '‰': of('0.001'),
    mε: of('0.001'),
    µε: of('0.000001'),
    nε: of('0.000000001'),
  },
  angle: {
    '°': of('1'),
    '′': of('1', '60'),
    '″': of('1', '3600'),
    rad: of('57.295779513082320876798'),
    mrad: of('0.057295779513082320876798'),
    µrad: of('0.000057295779513082320876798'),
    gon: of('0.9'),
    mgon: of('0.0009'),
  },
  acceleration: {
    'm/s²': of('1'),
    'cm/s²': of('0.01'),
    'mm/s²': of('0.001'),
    gal: of('0.01'),
    g: of('9.80665'),
    mg: of('0.00980665'),
    'ft/s²': of('0.3048'),
  },
  velocity: {
    'm/s': of('1'),
    'cm/s': of('0.01'),
    'mm/s': of('0.001'),
    'in/s': of('0.0254'),
    'ft/s': of('0.3048'),
    'km/h': of('1000', '3600'),
    mph: of('0.44704'),
    kn: of('1852', '3600'),
    'mm/min': of('0.001', '60'),
    'mm/h': of('0.001', '3600'),
    'mm/d': of('0.001', '86400'),
    'in/h': of('0.0254', '3600'),
  },
  length: {
    m: of('1'),
    cm: of('0.01'),
    mm: of('0.001'),
    µm: of('0.000001'),
    km: of('1000'),
    in: of('0.0254'),
    ft: of('0.3048'),
    'L/m²': of('0.001'),
  },
  pressure: {
    Pa: of('1'),
    hPa: of('100'),
    kPa: of('1000'),
    MPa: of('1000000'),
    GPa: of('1000000000'),
    'MN/m²': of('1000000'),
    mbar: of('100'),
    bar: of('100000'),
    psi: of('4.4482216152605', '0.00064516'),
    ksi: of('4448.2216152605', '0.00064516'),
    'kgf/cm²': of('98066.5'),
    mH2O: of('9806.65'),
    cmH2O: of('98.0665'),
    mmH2O: of('9.80665'),
    ftH2O: of('2989.06692'),
    inH2O: of('249.08891'),
    mmHg: of('133.322387415'),
    inHg: of('3386.388640341'),
    atm: of('101325'),
  },
  force: {
    N: of('1'),
    kN: of('1000'),
    MN: of('1000000'),
    kgf: of('9.80665'),
    tf: of('9806.65'),
    lbf: of('4.4482216152605'),
    kip: of('4448.2216152605'),
  },
  mass: { kg: of('1'), t: of('1000'), lb: of('0.45359237') },
  frequency: { Hz: of('1'), mHz: of('0.001'), kHz: of('1000'), MHz: of('1000000') },
  voltage: { V: of('1'), mV: of('0.001'), µV: of('0.000001') },
  temperature: {
    '°C': of('1'),
    K: { ratio: ['1'], zero: 273.15 },
    '°F': { ratio: ['5', '9'], zero: 32 },
  },
}
