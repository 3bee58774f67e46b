import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { zone } from '../time/local-time.ts'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { latin1 } from './_test-files.ts'
import type { CsvTime, CsvWaveformOptions } from './csv-options.ts'
import { readWaveforms } from './read-waveforms.ts'

const read = (text: string, csv: CsvWaveformOptions) => readWaveforms(latin1(text), { csv })
const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

/** Every finite number but minus zero, which a text does not show. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const time = (kind: CsvTime['kind']): CsvWaveformOptions => ({ time: { column: 't', kind } })
const withTolerance = (tolerance: number): CsvWaveformOptions => ({
  sampleHz: 250,
  time: { column: 'Time', kind: 'seconds', tolerance },
})

/** A hundred rows at 250 Hz whose times are as a function writes those seconds. */
const timed = (time: (seconds: number) => string | number, skipped = -1): string =>
  `Time,A\n${Array.from({ length: 100 }, (_, at) => at)
    .filter((at) => at !== skipped)
    .map((at) => `${time(at / 250)},${at}\n`)
    .join('')}`

describe('CSV', () => {
  test('gives back any numbers of any columns, whatever separates them', () => {
    const rows = fc.integer({ min: 1, max: 5 }).chain((width) =>
      fc.array(
        fc.array(number, {
          minLength: width,
          maxLength: width,
        }),
        { minLength: 1 },
      ),
    )
    const form = fc.constantFrom(
      { delimiter: ',' },
      { delimiter: ';', decimal: ',' },
      { delimiter: '\t' },
      { delimiter: ' ' },
    )
    fc.assert(
      fc.property(rows, form, fc.constantFrom('\n', '\r\n'), (rows, form, end) => {
        const { delimiter, decimal = '.' } = form as { delimiter: string; decimal?: ',' }
        const print = (value: number): string => String(value).replace('.', decimal)
        const text = rows.map((row) => row.map(print).join(delimiter)).join(end)

        const found = read(text, { delimiter, decimal, headerRow: 0, sampleHz: 10 })

        assert.deepEqual(
          found.map(({ samples }) => [...samples]),
          rows[0]!.map((_, column) => rows.map((row) => row[column])),
        )
      }),
    )
  })

  test('names channels by the names of the columns, with the unit in brackets', () => {
    const text = '\ufeff"Zeit, s",ACC01_z [g],DMS (µm/m),Kraft\n0,1,2,3\n0.5,4,5,6\n'
    const options = { csv: { time: { column: 'Zeit, s', kind: 'seconds' } as const } }

    const found = readWaveforms(utf8(text), options)

    assert.deepEqual(
      found.map(({ channel, unit, sampleHz, samples }) => [channel, unit, sampleHz, [...samples]]),
      [
        ['ACC01_z', 'g', 2, [1, 4]],
        ['DMS', 'µm/m', 2, [2, 5]],
        ['Kraft', '', 2, [3, 6]],
      ],
    )
  })

  test('reads the columns that are asked for, by name or by number', () => {
    const text = 'rows of a logger\na,b,c,\nm,m,m,\n1,2,3,\n4,5,6,\n'
    const csv = { headerRow: 2, dataRow: 4, columns: ['c', 1], sampleHz: 5, unit: 'm' }
    const start = { milliseconds: 5, nanoseconds: 7 }

    const found = read(text, { ...csv, start })

    assert.deepEqual(
      found.map(({ channel, unit, start, samples }) => [channel, unit, start, [...samples]]),
      [
        ['c', 'm', start, [3, 6]],
        ['a', 'm', start, [1, 4]],
      ],
    )
  })

  test('has its rate and its start of the times, of any kind', () => {
    const start = Date.UTC(2026, 10, 20, 12, 0, 0)
    const instant = { milliseconds: start, nanoseconds: 0 }
    const iso = (seconds: number): string => new Date(start + seconds * 1000).toISOString()
    const local = (seconds: number): string =>
      iso(seconds + 3600)
        .replace('T', ' ')
        .slice(0, -1)
    const berlin = zone('Europe/Berlin')
    const kinds: readonly [CsvTime['kind'], (seconds: number) => string | number, unknown][] = [
      ['seconds', (seconds) => 7 + seconds, undefined],
      ['milliseconds', (seconds) => (seconds * 1000).toFixed(3), undefined],
      ['epochSeconds', (seconds) => (start / 1000 + seconds).toFixed(3), instant],
      ['epochMilliseconds', (seconds) => start + seconds * 1000, instant],
      ['text', iso, instant],
      ['text', (seconds) => `${local(seconds)}+01:00`, instant],
      ['text', local, instant],
    ]
    for (const [kind, print, expected] of kinds) {
      const toInstant = (text: string) => berlin.toInstant(text)

      const [found] = read(timed(print), { time: { column: 1, kind, toInstant } })

      assert.deepEqual([found!.sampleHz, found!.start], [250, expected], kind)
    }
  })

  test('keeps nanoseconds of its first time', () => {
    const milliseconds = Date.UTC(2026, 10, 20, 12, 0, 0, 123)
    for (const [kind, time] of [
      ['text', '2026-11-20T12:00:00.123456789Z'],
      ['epochSeconds', `${Math.floor(milliseconds / 1000)}.123456789`],
      ['epochMilliseconds', `${milliseconds}.456789`],
    ] as const) {
      const [found] = read(`t,a\n${time},1\n`, { sampleHz: 10, time: { column: 't', kind } })

      assert.deepEqual(found!.start, { milliseconds, nanoseconds: 456_789 })
    }
  })

  test('keeps the rate that is told, and else takes a whole number of hertz that fits', () => {
    const { time } = withTolerance(0.25)

    assert.equal(read('Time,A\n0,1\n', { time: time!, sampleHz: 12.5 })[0]!.sampleHz, 12.5)
    const told = { time: time!, sampleHz: 250.00001 }
    assert.equal(
      read(
        timed((seconds) => seconds.toFixed(6)),
        told,
      )[0]!.sampleHz,
      250.00001,
    )
    const rounded = timed((seconds) => (seconds * 0.999999).toFixed(6))
    assert.equal(read(rounded, { time: time! })[0]!.sampleHz, 250)
    const slower = timed((seconds) => (seconds * 1.001).toFixed(6))
    assert.ok(Math.abs(read(slower, { time: time! })[0]!.sampleHz - 249.75) < 0.001)
  })

  test('has times of several seconds, with or without an offset', () => {
    const text =
      't,a\n2026-11-20T11:59:59.5Z,1\n2026-11-20T13:00:00+01,2\n2026-11-20T12:00:00.5Z,3\n'

    const [found] = read(text, time('text'))

    assert.equal(found!.sampleHz, 2)
  })

  test('with one sample missing anywhere is refused', () => {
    const csv: CsvWaveformOptions = { time: { column: 'Time', kind: 'seconds' } }
    for (let skipped = 1; skipped < 99; skipped++) {
      assert.throws(
        () => read(timed(String, skipped), csv),
        refusal(/sample periods from its time/),
      )
    }
  })

  test('with uneven times is read or refused as the tolerance says', () => {
    const uneven = timed((seconds) => (Math.round(seconds * 100) / 100).toFixed(2))
    assert.equal(read(uneven, withTolerance(1.3))[0]!.sampleHz, 250)
    const message =
      /^line 3: time is -1\.00 sample periods from its time at 250 Hz, expected at most 0.5/
    assert.throws(() => read(uneven, withTolerance(0.5)), refusal(message))
  })

  test('is refused by line and column where a value, a row or a time is wrong', () => {
    const hz = { sampleHz: 10 }
    const text = time('text')
    for (const [file, csv, message] of [
      ['a\n1\n', {}, /has no sample rate, expected sampleFreq or a time column/],
      ['a\n1\n', { sampleHz: 0 }, /sampleFreq: sample rate is 0 Hz/],
      ['a,b\n1,2\n3,x\n', hz, /^line 3, column 2: "x", expected a finite number/],
      ['a,b\n1,2\n3,\n', hz, /^line 3, column 2: "", expected a finite number/],
      ['a,b\n1,2\n3,NaN\n', hz, /^line 3, column 2: "NaN"/],
      ['a,b\n1,2\n3,1e999\n', hz, /^line 3, column 2: "1e999"/],
      ['a,b\n1,2\n3\n', hz, /^line 3 has 1 fields, expected 2/],
      ['a,b\n1,2\n\n3,4\n', hz, /^line 3 is blank, expected values, because line 4 has some/],
      ['a,b\n', hz, /^line 1 has no values, expected the first in line 2/],
      ['a\n1\n', { ...hz, headerRow: 9 }, /expected names in line 9/],
      ['a\n1\n', { ...hz, columns: ['z'] }, /no column "z", expected one of "a"/],
      ['a\n1\n', { ...hz, columns: [2] }, /no column 2/],
      ['a\n1\n', { ...hz, columns: [] }, /no column of samples/],
      [
        `t,a\n${'0,'.repeat(1001)}1\n`,
        time('seconds'),
        /has 1001 columns of samples, expected at most 1000$/,
      ],
      [`a\n${'1,'.repeat(1000)}1\n`, hz, /has 1001 columns of samples, expected at most 1000/],
      ['a\n1\n', { ...hz, delimiter: ',,' }, /delimiter is ",,"/],
      ['t,a\n1,1\n', time('seconds'), /the last time is 0 s after the first/],
      ['t,a\n2,1\n1,1\n', time('seconds'), /the last time is -1 s after the first/],
      ['t,a\n0,1\n1e-9,1\n', time('seconds'), /sample rate is .+ at most 10000000/],
      ['t,a\nx,1\n', time('seconds'), /^line 2: time is "x", expected a number/],
      ['t,a\n-1,1\n', time('epochSeconds'), /^line 2: time is "-1", expected digits since 1970/],
      ['t,a\n1.2.2026,1\n', text, /^line 2: time is "1\.2\.2026", expected such as 2026/],
      ['t,a\n2026-02-01 12:00:00,1\n', text, /expected an offset or a zone/],
      ['t,a\n2026-02-30 12:00:00Z,1\n', text, /expected a real time/],
    ] as const) {
      assert.throws(() => readWaveforms(latin1(file), { format: 'CSV', csv }), refusal(message))
    }
  })

  test('damaged anywhere is refused or read', () => {
    const whole = latin1('"t",a [g]\n2026-02-01 12:00:00.1Z,1.5\n2026-02-01 12:00:00.2Z,-3e-3\n')
    const csv: CsvWaveformOptions = { time: { column: 1, kind: 'text' } }
    assertDamageIsRefusedOrRead(whole, { format: 'CSV', csv }, { runs: 2000 })
    const plain = latin1('1;2\n3;4\n5;6\n')
    const numbers = { delimiter: ';', headerRow: 0, sampleHz: 1 }
    assertDamageIsRefusedOrRead(plain, { format: 'CSV', csv: numbers }, { runs: 1000 })
  })
})
