/** Spellings in small letters without blanks, and the unit that each means whatever its case is. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '°C': ['°c', 'degc', 'deg.c', 'degreec', 'degreesc', 'celsius', 'degcelsius', 'degreescelsius'],
    '°F': ['°f', 'degf', 'deg.f', 'degreef', 'degreesf', 'fahrenheit', 'degreesfahrenheit'],
    K: ['kelvin', 'degk', '°k'],
    '°': ['deg', 'degree', 'degrees', '度'],
    '′': ['′', 'arcmin', 'minuteofarc', 'minutesofarc'],
    // NFKC writes the sign of the second as two of the minute.
    '′′': ['arcsec', 'secondofarc', 'secondsofarc'],
    rad: ['rad', 'radian', 'radians'],
    mrad: ['mrad', 'milliradian', 'milliradians'],
    µrad: ['µrad', 'urad', 'microradian', 'microradians'],
    gon: ['gon', 'gons'],
    ε: ['ε', 'm/m', 'mm/mm'],
    'mm/m': ['mm/m'],
    '‰': ['permil', 'permille', 'promille', '0/00', 'o/oo'],
    mε: ['millistrain', 'millistrains'],
    µε: [
      'µε',
      'uε',
      'ue',
      'µe',
      'µm/m',
      'um/m',
      'µstrain',
      'ustrain',
      'microstrain',
      'microstrains',
      '微应变',
    ],
    nε: ['nε', 'nm/m', 'nstrain', 'nanostrain', 'nanostrains'],
    m: ['meter', 'meters', 'metre', 'metres'],
    cm: ['cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres'],
    mm: ['mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'],
    µm: ['µm', 'um', 'micrometer', 'micrometers', 'micrometre', 'micrometres', 'micron', 'microns'],
    km: ['km', 'kilometer', 'kilometers', 'kilometre', 'kilometres'],
    'L/m2': ['l/m2'],
    in: ['in', 'inch', 'inches'],
    ft: ['ft', 'foot', 'feet'],
    'm/s': ['m/s', 'm/sec', 'meters/second', 'metres/second'],
    'cm/s': ['cm/s', 'cm/sec'],
    'mm/s': ['mm/s', 'mm/sec'],
    'in/s': ['in/s', 'in/sec', 'ips'],
    'ft/s': ['ft/s', 'ft/sec'],
    'km/h': ['km/h', 'km/hr', 'kph', 'kmh'],
    mph: ['mph', 'mi/h'],
    kn: ['kt', 'kts', 'knot', 'knots'],
    'mm/min': ['mm/min'],
    'mm/h': ['mm/h', 'mm/hr', 'mm/hour'],
    'mm/d': ['mm/d', 'mm/day'],
    'in/h': ['in/h', 'in/hr'],
    'm/s2': ['m/s2', 'm/s/s', 'm/sec2', 'm/sec/sec'],
    'cm/s2': ['cm/s2', 'cm/s/s', 'cm/sec2', 'cm/sec/sec'],
    'mm/s2': ['mm/s2', 'mm/s/s', 'mm/sec2', 'mm/sec/sec'],
    'ft/s2': ['ft/s2', 'ft/s/s', 'ft/sec2', 'ft/sec/sec'],
    gal: ['gal', 'gals'],
    Pa: ['pascal', 'pascals', 'n/m2'],
    hPa: ['hpa', 'hectopascal', 'hectopascals'],
    kPa: ['kpa', 'kilopascal', 'kilopascals', 'kn/m2'],
    MPa: ['megapascal', 'megapascals', 'n/mm2'],
    GPa: ['gpa', 'gigapascal', 'gigapascals', 'kn/mm2'],
    'kgf/cm2': ['kgf/cm2', 'kg/cm2'],
    mH2O: ['mh2o', 'mwc'],
    cmH2O: ['cmh2o', 'cmwc'],
    mmH2O: ['mmh2o', 'mmwc'],
    ftH2O: ['fth2o'],
    inH2O: ['inh2o'],
    mmHg: ['mmhg'],
    inHg: ['inhg'],
    ksi: ['ksi', 'kip/in2'],
    mbar: ['mbar', 'millibar', 'millibars'],
    bar: ['bar', 'bars'],
    psi: ['psi', 'lbf/in2'],
    lbf: ['lbf', 'poundforce', 'poundsforce'],
    kip: ['kip', 'kips'],
    kgf: ['kgf', 'kilogramforce'],
    tf: ['tf', 'tonneforce', 'tonnesforce'],
    kN: ['kilonewton', 'kilonewtons'],
    kg: ['kg', 'kilogram', 'kilograms', 'kilogramme', 'kilogrammes'],
    t: ['tonne', 'tonnes', 'metricton', 'metrictons'],
    lb: ['lb', 'lbs', 'lbm'],
    V: ['volt', 'volts'],
    mV: ['millivolt', 'millivolts'],
    µV: ['µv', 'uv', 'microvolt', 'microvolts'],
    Hz: ['hz', 'hertz'],
    kHz: ['khz', 'kilohertz'],
    '%': ['percent', 'pct'],
  }).flatMap(([unit, words]) => words.map((word) => [word, unit] as const)),
)

/**
 * Returns one spelling for all those of a unit: `cm/s²`, `cm/s^2` and `CM/SEC/SEC` are `cm/s2`, the two
 * signs for micro are one, and so are those that look like a degree. Of a unit without words of its
 * own only these signs and blanks change: upper and lower case differ, as in MPa and mPa.
 */
export function normalizeUnit(text: string): string {
  const signs = text
    .replaceAll(/[\u{ba}\u{2da}]/gu, '°')
    .replaceAll('\u{25b}', 'ε')
    .normalize('NFKC')
    .replaceAll(/\s|\^|\*\*/gu, '')
    .normalize('NFKC')
    .replaceAll('\u{3bc}', '\u{b5}')
  return WORDS.get(signs.toLowerCase()) ?? signs
}
