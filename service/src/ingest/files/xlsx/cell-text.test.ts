import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatSerial, styleOfCode, styleOfId } from './cell-text.ts'

const BOTH = { hasDate: true, hasClock: true }
const DATE = { hasDate: true, hasClock: false }
const CLOCK = { hasDate: false, hasClock: true }

test('number formats are told from those of dates and clocks', () => {
  for (const [code, style] of [
    ['General', undefined],
    ['0.00', undefined],
    ['#,##0.0" d"', undefined],
    ['0.0\\d', undefined],
    ['[Red]0.00;[Blue]-0.00', undefined],
    ['[$-409]General', undefined],
    ['0.00E+00', undefined],
    ['@', undefined],
    ['dd/mm/yyyy', DATE],
    ['mmm\\-yy', DATE],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', DATE],
    ['yyyy"年"m"月"d"日"', DATE],
    ['h:mm AM/PM', CLOCK],
    ['mm:ss.0', CLOCK],
    ['yyyy-mm-dd hh:mm:ss.000', BOTH],
    ['[h]:mm', undefined],
  ] as const)
    assert.deepEqual(styleOfCode(code), style, code)
  assert.deepEqual([0, 2, 14, 20, 22, 49].map(styleOfId), [
    undefined,
    undefined,
    DATE,
    CLOCK,
    BOTH,
    undefined,
  ])
})

test('a serial number is the time that a spreadsheet shows', () => {
  for (const [serial, style, text] of [
    [45_352, BOTH, '2024-03-01 00:00:00'],
    [45_352, DATE, '2024-03-01'],
    [45_352.5, DATE, '2024-03-01 12:00:00'],
    [45_352.4236111111, BOTH, '2024-03-01 10:10:00'],
    [45_352.999999999, BOTH, '2024-03-02 00:00:00'],
    [0.5, CLOCK, '12:00:00'],
    [0.0000028935185, CLOCK, '00:00:00.250'],
    [61, DATE, '1900-03-01'],
  ] as const)
    assert.equal(formatSerial(serial, style, false), text)
  assert.equal(formatSerial(45_352 - 1462, BOTH, true), '2024-03-01 00:00:00')
})

test('every millisecond comes back as it was', () => {
  const from = Date.UTC(1970, 0, 1)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(2099, 0, 1) }), (milliseconds) => {
      const serial = (milliseconds - from) / 86_400_000 + 25_569

      const text = formatSerial(serial, BOTH, false)

      assert.equal(Date.parse(`${text.replace(' ', 'T')}Z`), milliseconds)
    }),
  )
})
