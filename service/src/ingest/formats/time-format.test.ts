import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { timeFormat, timeFormatProblem } from './time-format.ts'

const at = (iso: string): number => Date.parse(`${iso}Z`)

describe('a time format', () => {
  test('reads what loggers and spreadsheets write', () => {
    for (const [pattern, text, iso] of [
      ['DD.MM.YYYY HH:mm:ss.SSS', '11.04.2022 08:36:25.984', '2022-04-11T08:36:25.984'],
      ['YYYY-DD-MM HH:mm:ss.SSS', '2022-11-04 08:36:24.897', '2022-04-11T08:36:24.897'],
      ['YYYY-MM-DD HH:mm:ss[.S]', '2009-11-30 22:00:00', '2009-11-30T22:00:00'],
      ['YYYY-MM-DD HH:mm:ss[.S]', '2009-11-30 22:00:00.05', '2009-11-30T22:00:00.050'],
      ['YYYY-MM-DD HH:mm:ss[.S]', '2009-11-30 22:00:00.0505999', '2009-11-30T22:00:00.050'],
      ['M/D/YYYY h:mm A', '4/1/2022 12:05 am', '2022-04-01T00:05:00'],
      ['M/D/YYYY h:mm A', '12/31/2022 12:05 PM', '2022-12-31T12:05:00'],
      ['YYYYMMDDTHHmmss', '20220411T083625', '2022-04-11T08:36:25'],
      ['YYYY DDD', '2024 366', '2024-12-31T00:00:00'],
      ['YYYY M D H m', '2015 1 2  3 4', '2015-01-02T03:04:00'],
      ['DD/MM/YY HH:mm', '01/02/69 00:00', '1969-02-01T00:00:00'],
      ['DD/MM/YY HH:mm', ' 01/02/68 00:00 ', '2068-02-01T00:00:00'],
      ['YYYY-MM-DD HH:mm:ss', '2022-04-11 24:00:00', '2022-04-12T00:00:00'],
    ] as const)
      assert.equal(timeFormat(pattern).parse(text), at(iso), `${pattern}: ${text}`)
  })

  test('reads no time from a text of another form, or of a time that is none', () => {
    for (const [pattern, text] of [
      ['YYYY-MM-DD HH:mm:ss', '2022-04-11 08:36:25.984'],
      ['YYYY-MM-DD HH:mm:ss', '2022-04-11 08:36'],
      ['YYYY-MM-DD HH:mm:ss', '2022-4-11 08:36:25'],
      ['YYYY-MM-DD HH:mm:ss', ''],
      ['YYYY-MM-DD HH:mm:ss', '2022-02-29 00:00:00'],
      ['YYYY-MM-DD HH:mm:ss', '2022-13-01 00:00:00'],
      ['YYYY-MM-DD HH:mm:ss', '2022-04-00 00:00:00'],
      ['YYYY-MM-DD HH:mm:ss', '2022-04-11 24:00:01'],
      ['YYYY-MM-DD HH:mm:ss', '2022-04-11 23:60:00'],
      ['YYYY-MM-DD HH:mm:ss', '2022-04-11 23:59:60'],
      ['YYYY-MM-DD HH:mm:ss', '0000-04-11 23:59:00'],
      ['YYYY-MM-DD HH:mm:ss[.S]', '2022-04-11 23:59:00.'],
      ['YYYY DDD', '2023 366'],
      ['YYYY DDD', '2023 0'],
      ['M/D/YYYY h A', '4/1/2022 0 AM'],
      ['M/D/YYYY h A', '4/1/2022 13 AM'],
      ['M/D/YYYY h A', '4/1/2022 12 XM'],
    ] as const)
      assert.equal(timeFormat(pattern).parse(text), undefined, `${pattern}: ${text}`)
  })

  test('is refused when no time can be read from it', () => {
    for (const [pattern, words] of [
      ['dd.MM.yyyy', /"d" has no meaning/],
      ['HH:mm', /the year \(YYYY\) is missing/],
      ['YYYY-MM', /the day \(DD\) is missing/],
      ['YYYY-DD', /it takes a month/],
      ['YYYY-MM-DDD', /it takes a month/],
      ['YYYY-MM-DD MM', /the month appears twice/],
      ['YYYY-MM-DD hh:mm', /hh and A/],
      ['YYYY-MM-DD HH A', /hh and A/],
      ['YYYY-M-DHH', /D has no fixed length/],
      ['YYYY-MM-DD[ HH', /is not closed/],
      ['YYYY-MM-DD[[HH]]', /"\[" has no meaning/],
    ] as const)
      assert.match(timeFormatProblem(pattern) ?? '', words, pattern)
    assert.equal(timeFormatProblem('epochSeconds'), undefined)
    assert.equal(timeFormatProblem('YYYY-MM-DD'), undefined)
  })

  test('reads back what it writes, to the step that it has a place for', () => {
    const dates = ['YYYY-MM-DD', 'DD.MM.YYYY', 'M/D/YYYY', 'YYYYMMDD', 'YYYY DDD', 'YYYY-DDD']
    const clocks: [pattern: string, step: number][] = [
      ['', 86_400_000],
      [' HH:mm', 60_000],
      [' h:m A', 60_000],
      ['THH:mm:ss', 1000],
      [' H.m.s', 1000],
      [' hh:mm:ss A', 1000],
      [' HH:mm:ss.S', 100],
      [' HH:mm:ss.SSS', 1],
      [' HH:mm:ss[.SSSSSS]', 1],
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...dates),
        fc.constantFrom(...clocks),
        fc.integer({ min: at('0001-01-01'), max: at('9999-12-31T23:59:59.999') }),
        (date, [clock, step], wall) => {
          const format = timeFormat(date + clock)
          assert.equal(format.parse(format.format(wall)), Math.floor(wall / step) * step)
        },
      ),
    )
  })
})
