/** Spellings in small letters without blanks, and the unit that each means whatever its case is. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '°C': ['°c', 'degc', 'deg.c', 'degreec', 'degreesc', 'celsius', 'degcelsius', 'degreescelsius'],
    '°F': ['°f', 'degf', 'deg.f', 'degreef', 'degreesf', 'fahrenheit', 'degreesfahrenheit'],
    K: ['kelvin', 'degk', '°k'],
    '°': ['deg', 'degree', 'degrees'],
    µε: ['µε', 'uε', 'µm/m', 'um/m', 'µstrain', 'ustrain', 'microstrain'],
    m: ['meter', 'meters', 'metre', 'metres'],
    cm: ['cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres'],
    mm: ['mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'],
    µm: ['µm', 'um', 'micrometer', 'micrometers', 'micrometre', 'micrometres', 'micron', 'microns'],
    in: ['in', 'inch', 'inches'],
    ft: ['ft', 'foot', 'feet'],
    'm/s': ['m/s', 'm/sec', 'meters/second', 'metres/second'],
    'cm/s': ['cm/s', 'cm/sec'],
    'mm/s': ['mm/s', 'mm/sec'],
    'in/s': ['in/s', 'in/sec', 'ips'],
    'm/s2': ['m/s2', 'm/s/s', 'm/sec2', 'm/sec/sec'],
    'cm/s2': ['cm/s2', 'cm/s/s', 'cm/sec2', 'cm/sec/sec'],
    'mm/s2': ['mm/s2', 'mm/s/s', 'mm/sec2', 'mm/sec/sec'],
    gal: ['gal', 'gals'],
    hPa: ['hpa', 'hectopascal', 'hectopascals'],
    kPa: ['kpa', 'kilopascal', 'kilopascals'],
    mbar: ['mbar', 'millibar', 'millibars'],
    bar: ['bar', 'bars'],
    psi: ['psi', 'lbf/in2'],
    lbf: ['lbf', 'poundforce', 'poundsforce'],
    V: ['volt', 'volts'],
    mV: ['millivolt', 'millivolts'],
    Hz: ['hz', 'hertz'],
    '%': ['percent', 'pct'],
  }).flatMap(([unit, words]) => words.map((word) => [word, unit] as const)),
)

/**
 * Returns one spelling for all those of a unit: `cm/s²`, `cm/s^2` and `CM/SEC/SEC` are `cm/s2`, the two
 * signs for micro are one. Of a unit without words of its own only these signs and blanks change:
 * upper and lower case differ, as in MPa and mPa.
 */
export function normalizeUnit(text: string): string {
  const signs = text
    .normalize('NFKC')
    .replaceAll(/\s|\^|\*\*/gu, '')
    .normalize('NFKC')
    .replaceAll('\u{3bc}', '\u{b5}')
  return WORDS.get(signs.toLowerCase()) ?? signs
}
