import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { latin1, testFile, textOf } from './_test-files.ts'
import { readWaveforms } from './read-waveforms.ts'

type Batch = { station: number; samples: number[] }
type Peak = { channel: number; peak: number; index: number }

const DEMO_SITE = new URL('../../../../examples/demo-site/', import.meta.url)
const CHANNELS = 12
const HEADER_LINES = 46
const START = { milliseconds: Date.UTC(2009, 4, 18, 3, 39, 38), nanoseconds: 0 }

/** As Fortran prints `(8f10.6)`: no nought before the point. */
const printColumns = (samples: readonly number[]): string =>
  samples
    .map((sample, at) => {
      const text = sample.toFixed(6).replace(/^(-?)0\./, '$1.')
      return text.padStart(10) + (at % 8 === 7 || at === samples.length - 1 ? '\r\n' : '')
    })
    .join('')

/** The twelve channels of the bridge: their own headers, and the values that the demo site has. */
function readBridge(): { text: string; samples: number[]; peakLine: string }[] {
  const headers = textOf(testFile('capistrano-bridge.V2-headers.gz')).split('\n')
  const packed = readFileSync(new URL('data/capistrano-bridge.vibration.ndjson.gz', DEMO_SITE))
  const batches = gunzipSync(packed).toString().trim().split('\n')
  return Array.from({ length: CHANNELS }, (_, at) => {
    const header = headers.slice(at * HEADER_LINES, (at + 1) * HEADER_LINES)
    const { station, samples } = JSON.parse(batches[at]!) as Batch
    assert.equal(station, 3001 + at)
    const text = `${header.join('\n')}\n${printColumns(samples)}/&  ----------  End of data\r\n`
    return { text, samples, peakLine: header[17]! }
  })
}

const bridge = readBridge()
const peaks = JSON.parse(
  readFileSync(new URL('capistrano-peaks.json', DEMO_SITE), 'utf8'),
) as Peak[]

/** The broken file with the two faults of its header mended. */
const mended = textOf(testFile('BadHeader.V2.gz'))
  .replace('2-13-12', '2/13/12')
  .replace(/(12000 points of accel .* cm\/sec2\.)/, '$1 (8f10.6)')

const at = (...clock: [number, number, number, number, number, number]) => ({
  milliseconds: Date.UTC(...clock),
  nanoseconds: 0,
})

/** A file of three values in capitals, with the headers of a real file. */
function oldFile(volume: 1 | 2, width: number, heading: string): Uint8Array {
  const text = volume === 1 ? textOf(testFile('CE89146.V1.gz')) : mended
  const header = text.split(/\r?\n/).slice(0, volume === 1 ? 27 : 45)
  const all = header
    .join('\n')
    .toUpperCase()
    .replaceAll(/13200|12000/g, '    3')
  const values = [0.5, -1.25, 10].map((value) => value.toFixed(3).padStart(width)).join('')
  return latin1(`${all}\n${heading}\n${values}\n/&  ----- END OF DATA FOR CHANNEL 1 -----\n`)
}

describe('CSMIP', () => {
  test('volume 2: every channel of a real bridge has its peak where its header says', () => {
    const found = readWaveforms(latin1(bridge.map(({ text }) => text).join('')))

    assert.equal(found.length, CHANNELS)
    for (const [at, { channel, sampleHz, start, unit, samples }] of found.entries()) {
      const { peak, index } = peaks[at]!
      assert.match(channel, new RegExp(`^Chan ${at + 1}: \\S`))
      assert.deepEqual([sampleHz, start, unit], [200, START, 'cm/sec2'])
      assert.deepEqual([...samples], bridge[at]!.samples)

      let highest = 0
      for (const [at, sample] of samples.entries()) {
        if (Math.abs(sample) > Math.abs(samples[highest]!)) highest = at
      }
      assert.equal(highest + 1, index)
      assert.ok(Math.abs(samples[highest]! - peak) <= 0.0005, channel)
      const line = /= +(\S+) +cm\/sec\/sec +at +(\S+) +sec/.exec(bridge[at]!.peakLine)
      assert.equal(Number(line?.[1]), peak)
      assert.equal(Number(line?.[2]), Number((highest / sampleHz).toFixed(3)))
    }
  })

  test('volume 1: every channel of a real file is read', () => {
    const found = readWaveforms(testFile('CE89146.V1.gz'))

    assert.deepEqual(
      found.map(({ channel }) => channel),
      ['Chan 1: 360 Deg', 'Chan 2: Up', 'Chan 3: 90 Deg'],
    )
    // Max of each channel's header.
    for (const [at, [peak, seconds]] of [
      [0.079, 30.59],
      [0.021, 30.59],
      [-0.045, 30.575],
    ].entries()) {
      const { samples, sampleHz, unit, start } = found[at]!
      assert.deepEqual([samples.length, sampleHz, unit], [13_200, 200, 'g'])
      assert.equal(start?.milliseconds, Date.UTC(2012, 1, 13, 21, 6, 45))
      assert.ok(Math.abs(samples[Math.round(seconds! * 200)]! - peak!) <= 0.0005)
    }
  })

  test('a real file with a broken header is refused by its start time', () => {
    const message =
      /^line 5: start time is "2-13-12, 21:06:45\.0 UTC \(GPS\)", expected M\/D\/YY, HH:MM:SS\.s UTC of 2012/
    assert.throws(() => readWaveforms(testFile('BadHeader.V2.gz')), refusal(message))
  })

  test('a real file whose heading lacks the format is refused by it', () => {
    const text = textOf(testFile('BadHeader.V2.gz')).replace('2-13-12', '2/13/12')

    const message = /^line 46: the heading of 12000 points ends with "", expected their format/
    assert.throws(() => readWaveforms(latin1(text)), refusal(message))
  })

  test('velocity and displacement of volume 2 follow the acceleration', () => {
    const found = readWaveforms(latin1(mended))

    assert.deepEqual(
      found.map(({ channel, unit, samples }) => [channel, unit, samples.length]),
      [
        ['Chan 1: 360 Deg', 'cm/sec2', 12_000],
        ['Chan 1: 360 Deg veloc', 'cm/sec', 12_000],
        ['Chan 1: 360 Deg displ', 'cm', 12_000],
      ],
    )
    for (const [at, peak] of [77.28, 3.15, 0.165].entries()) {
      const { samples } = found[at]!
      assert.ok(Math.abs(Math.max(...samples) - peak) < 0.001)
    }
  })

  test('starts in UTC by the zone of the record where no start time is given', () => {
    const without = mended.replace(/Start time:.*/, '')
    const milliseconds = Date.UTC(2012, 1, 13, 21, 6, 45)

    for (const [text, start] of [
      [without, { milliseconds, nanoseconds: 0 }],
      [
        mended.replace('21:06:45.0 UTC', '21:06:45.1234567 UTC'),
        { milliseconds: milliseconds + 123, nanoseconds: 456_700 },
      ],
      [
        without.replaceAll(/13:06:45\.0 PST/g, '13:06:45.25 PDT'),
        { milliseconds: milliseconds - 3_600_000 + 250, nanoseconds: 0 },
      ],
      [without.replaceAll(/PST/g, 'XYZ'), undefined],
    ] as const) {
      assert.deepEqual(readWaveforms(latin1(text))[0]!.start, start)
    }
  })

  test('starts in whatever form files of its decades write the time', () => {
    const without = mended.replace(/Start time:.*/, '').replace(/ 2012   10/, '    0   10')
    const starting = (text: string): string =>
      without.replace(/^(89146-L2500-12044\.02) *$/m, `$1    ${text}`)
    const record = (text: string): string =>
      without.replaceAll('Record of Mon Feb 13, 2012 13:06:45.0 PST', text)
    for (const [text, start] of [
      [starting('Start time:  2/13/12, 10:34: 1.0 UTC (GPS)'), at(2012, 1, 13, 10, 34, 1)],
      [starting('Start time:  2/ 3/12,  1: 4: 1.0 UTC (GPS)'), at(2012, 1, 3, 1, 4, 1)],
      [starting('TRIGGER TIME: 02/13/12, 16:42:48.0 PDT'), at(2012, 1, 13, 23, 42, 48)],
      // The year of the text is that of California.
      [starting('Start time:  1/01/13, 03:00:00.0 UTC'), at(2013, 0, 1, 3, 0, 0)],
      [record('Rcrd of Fri Jul  5, 2019 20:19:37.0 PDT'), at(2019, 6, 6, 3, 19, 37)],
      [record('Rcrd of Tue Dec 20, 2022 02:34: 1.0 PST'), at(2022, 11, 20, 10, 34, 1)],
      [record('NORTHRIDGE EARTHQUAKE   JANUARY 17, 1994 04:31 PST'), undefined],
    ] as const)
      assert.deepEqual(readWaveforms(latin1(text))[0]!.start, start, String(start?.milliseconds))
    for (const text of [
      'Start time:  2/13/42, 10:34: 1.0 UTC',
      'Start time: 2/13/12, 10:34:61 UTC',
    ])
      assert.throws(
        () => readWaveforms(latin1(starting(text))),
        refusal(/^line 5: start time is .+, expected M\/D\/YY, HH:MM:SS\.s UTC$/),
      )
  })

  test('of the 1980s and 1990s is read by the widths of its volume', () => {
    const [first] = readWaveforms(
      oldFile(1, 9, '3 POINTS OF ACCEL DATA EQUALLY SPACED AT .005 SEC.  (UNITS: G)'),
    )
    const [second] = readWaveforms(
      oldFile(2, 10, ' 3 POINTS OF ACCEL DATA EQUALLY SPACED AT  .020 SEC.  (UNITS: CM/SEC/SEC)'),
    )

    assert.deepEqual(
      [first, second].map((one) => [one?.sampleHz, one?.unit, [...(one?.samples ?? [])]]),
      [
        [200, 'G', [0.5, -1.25, 10]],
        [50, 'CM/SEC/SEC', [0.5, -1.25, 10]],
      ],
    )
  })

  test('is refused by the line where counts, columns or rates do not fit', () => {
    const lines = mended.split('\n')
    const change = (number: number, from: string, to: string): string =>
      lines.with(number - 1, lines[number - 1]!.replace(from, to)).join('\n')
    for (const [text, message] of [
      [
        change(46, '12000', '12008'),
        /^line 46: the heading announces 12008 points, but the text header 12000/,
      ],
      [change(16, '12000', '12008'), /but the text header 12008/],
      [change(29, '12000', '12008'), /but the integer header 12008/],
      [change(1547, '12000', '12008'), /^line 3048 continues with|^line 3048, column/],
      [change(1547, '12000', '11992'), /^line 3047: .+, expected a heading/],
      [change(1547, '12000', '99999999'), /99999999 numbers are announced, but only \d+ bytes/],
      [change(46, '.005', '.000'), /^line 46: sample rate is Infinity Hz/],
      [change(60, '.', 'x'), /^line 60, column \d+: .+ expected a finite number/],
      [change(60, lines[59]!, lines[59]!.slice(0, 40)), /^line 60 has 4 numbers, expected 8/],
      [change(8, 'Chan', 'Kanal'), /names no channel/],
      [lines.slice(0, 3000).join('\n'), /the file ends after \d+ of 12000/],
      [lines.slice(0, 4548).join('\n'), /ends within Chan 1: 360 Deg, expected its end/],
      [lines.slice(0, 20).join('\n'), /ends after 20 of 25 lines of text header/],
      ['Response and Fourier amplitude spectra\n', /expected "Uncorrected accelerogram" of/],
      ['', /the file has no channel/],
    ] as const) {
      assert.throws(() => readWaveforms(latin1(text), { format: 'CSMIP' }), refusal(message))
    }
  })

  test('damaged anywhere is refused or read', () => {
    const header = bridge[0]!.text.slice(0, bridge[0]!.text.indexOf('/sec2. (8f10.6)') + 17)
    const small = `${header.replaceAll('12800', '   20')}${printColumns(bridge[0]!.samples.slice(0, 20))}/&\r\n`
    const whole = latin1(small)
    assert.equal(readWaveforms(whole)[0]!.samples.length, 20)

    assertDamageIsRefusedOrRead(whole, { format: 'CSMIP' }, { runs: 2000 })
  })
})
