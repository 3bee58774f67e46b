import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseQuality, showQuality } from './quality-text.ts'
import { QUALITY_CLASSES, type Quality } from './quality.ts'

/** What a text or a number is read as, in the form of `showQuality`. */
const read = (given: string | number): string | undefined => {
  const quality = parseQuality(given)
  return quality && showQuality(quality)
}

const assertRead = (rows: readonly (readonly [string | number, string | undefined])[]): void => {
  for (const [given, expected] of rows) assert.equal(read(given), expected, String(given))
}

describe('a quality is read', () => {
  test('from its class, in any case of letters, with a reason after a colon', () => {
    assertRead([
      ['good', 'good'],
      ['Uncertain', 'uncertain'],
      [' BAD ', 'bad'],
      ['bad: cable cut', 'bad: cable cut'],
      ['BAD :Cable: cut ', 'bad: Cable: cut'],
      ['bad:', 'bad'],
      ['Good: replaced by hand', 'good: replaced by hand'],
      [`bad: ${'x'.repeat(100)}`, `bad: ${'x'.repeat(100)}`],
      ['bad: cable cut (0x0)', 'bad: cable cut (0x0)'],
    ])
  })

  test('from the name of a status code of OPC UA', () => {
    assertRead([
      ['BadSensorFailure', 'bad: sensorFailure'],
      ['GoodLocalOverride', 'good: localOverride'],
      ['UncertainSensorNotAccurate', 'uncertain: sensorNotAccurate'],
      ['BadEdited_OutOfRange', 'bad: edited_OutOfRange'],
      ['StatusBadNoCommunication', 'bad: noCommunication'],
      ['StatusGood', 'good'],
    ])
  })

  test('from the number of a status code, by its two highest bits; other bits add the reason', () => {
    assertRead([
      [0, 'good'],
      [0x4000_0000, 'uncertain'],
      [0x8000_0000, 'bad'],
      [0x808c_0000, 'bad: sensorFailure'],
      ['0x808C0000', 'bad: sensorFailure'],
      ['2156658688', 'bad: sensorFailure'],
      ['0x0', 'good'],
      ['0', 'good'],
      [0x808c_0480, 'bad: sensorFailure'],
      [0x0000_0400, 'good'],
      [0x0096_0000, 'good: localOverride'],
      [0x4094_0000, 'uncertain: engineeringUnitsExceeded'],
      [0x80b8_1234, 'bad: 0x80B80000'],
      [0xbfff_ffff, 'bad: 0xBFFF0000'],
    ])
  })

  test('from the text that Telegraf makes of a status code', () => {
    assertRead([
      ['The operation succeeded. StatusGood (0x0)', 'good'],
      ['OK (0x0)', 'good'],
      [
        'There has been a failure in the sensor from which the value is derived by the device/data source. StatusBadSensorFailure (0x808C0000)',
        'bad: sensorFailure',
      ],
      ['StatusUncertainLastUsableValue (0x40900000)', 'uncertain: lastUsableValue'],
    ])
  })
})

describe('no quality', () => {
  test('is a text that names none', () => {
    for (const text of [
      '',
      ' ',
      ':',
      'ok',
      'bad sensor',
      'badly',
      'goodness',
      'BADSENSOR',
      'badSensorFailure',
      'Bad-Sensor',
      '-1',
      '0x',
      '0x1808C0000',
      '4294967296',
      '1e3',
      'OK (0x)',
      'OK (192)',
      'bad: a\u0007b',
      'bad: a\nb',
      'bad: \ud800',
      `bad: ${'x'.repeat(101)}`,
      `Bad${'X'.repeat(101)}`,
      `${' '.repeat(2000)}bad`,
    ])
      assert.equal(parseQuality(text), undefined, JSON.stringify(text))
  })

  test('is a number that is no status code: reserved, broken, or a flag of another scheme', () => {
    for (const number of [
      0xc000_0000,
      0xffff_ffff,
      2 ** 32,
      -1,
      1.5,
      NaN,
      Infinity,
      1,
      4,
      192,
      1023,
    ]) {
      assert.equal(parseQuality(number), undefined, String(number))
      assert.equal(parseQuality(String(number)), undefined, `"${number}"`)
    }
  })
})

const reasons = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.replaceAll(/\p{Cc}/gu, '').trim())
  .filter((text) => text.length <= 100)

const qualities: fc.Arbitrary<Quality> = fc
  .tuple(fc.constantFrom(...QUALITY_CLASSES), reasons)
  .map(([quality, reason]) => ({ quality, reason }))

test('what is shown is read back', () => {
  fc.assert(
    fc.property(qualities, (quality) => {
      assert.deepEqual(parseQuality(showQuality(quality)), quality)
    }),
  )
})

test('any text or number is read without an error, to what is shown and read back', () => {
  const pieces = fc.constantFrom('good', 'Bad', 'Status', ':', ' ', '(0x', ')', '\0', '\ud800', 'A')
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 2 }))).map((parts) => parts.join('')),
    fc.integer().map((number) => `0x${number.toString(16)}`),
  )
  fc.assert(
    fc.property(fc.oneof(texts, fc.double(), fc.nat(0xffff_ffff)), (given) => {
      const quality = parseQuality(given)
      if (quality !== undefined) assert.deepEqual(parseQuality(showQuality(quality)), quality)
    }),
  )
})
