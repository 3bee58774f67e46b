import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertLinear, type HostileInputs } from '../../../test/_growth.ts'
import { parseColumnFormat } from './fixed-columns.ts'
import { readWaveforms } from './read-waveforms.ts'
import { latin1, testFile, textOf } from './_test-files.ts'
import type { WaveformOptions } from './waveform.ts'

const csv: WaveformOptions = { csv: { sampleHz: 100, headerRow: 0 } }

/** The text of a file, a line of which is another. */
function withLine(file: string, line: RegExp, other: string): Uint8Array {
  const text = textOf(testFile(file))
  assert.match(text, line)
  return latin1(text.replace(line, other))
}

const COSMOS = 'NP8040-n.1000hyfh.HNE.01.V0c.gz'
const CSMIP = 'CE89146.V1.gz'

describe('files of waveforms that are made to be hard to read', () => {
  test('a Fortran format costs no more than its length', () => {
    assertLinear(
      {
        'blanks after the scale': (size) => `(1p${' '.repeat(size)}x`,
        'blanks before the count': (size) => `(${' '.repeat(size)}x`,
        'blanks before the letter': (size) => `8${' '.repeat(size)}x`,
        'blanks at the end': (size) => `8f10.6${' '.repeat(size)}x`,
        digits: (size) => '8'.repeat(size),
      },
      parseColumnFormat,
      { size: 100 },
    )
  })

  const headings: HostileInputs<Uint8Array> = {
    'blanks in a heading of COSMOS': (size) =>
      withLine(COSMOS, /.* pts, *approx.*/, `1${' '.repeat(size)}x`),
    'blanks before the points of COSMOS': (size) =>
      withLine(COSMOS, /.* pts, *approx.*/, `1 a${' '.repeat(size)}pts`),
    'brackets in a heading of COSMOS': (size) =>
      withLine(
        COSMOS,
        /.* pts, *approx.*/,
        `1 a pts, approx 1 secs, units=${'(1)'.repeat(size / 3)}`,
      ),
    'blanks in a heading of CSMIP': (size) =>
      withLine(CSMIP, /.*points at.*/, `1 a points at 1 pts/sec in units of${' '.repeat(size)}x`),
    'blanks and carriage returns in a title of CSMIP': (size) =>
      withLine(CSMIP, /Chan .*/, `Chan 1:${' '.repeat(size)}\rx`),
  }
  test('a heading costs no more than its length', () => {
    assertLinear(headings, (bytes) => readWaveforms(bytes), { size: 120 })
  })

  test('a line of CSV costs no more than its length', () => {
    assertLinear(
      {
        'an open quote': (size) => Buffer.from(`"${'1'.repeat(size)}`),
        'doubled quotes': (size) => Buffer.from(`"${'""'.repeat(size)}`),
        quotes: (size) => Buffer.from('"'.repeat(size)),
        delimiters: (size) => Buffer.from(','.repeat(size)),
        'digits and a letter': (size) => Buffer.from(`${'1'.repeat(size)}x`),
        blanks: (size) => Buffer.from(' '.repeat(size)),
        'blank lines': (size) => Buffer.from(`1\n${'\n'.repeat(size)}2`),
      },
      (bytes) => readWaveforms(bytes, { ...csv, format: 'CSV' }),
    )
  })

  test('a line of CSV has at most 100000 fields', () => {
    const line = Buffer.from('1,'.repeat(100_000))

    assert.throws(() => readWaveforms(line, { ...csv, format: 'CSV' }), {
      message: 'line 1 has more than 100000 fields, as no file of samples has',
    })
  })

  test('counts that a header announces take no memory before the values are there', () => {
    const announced: [file: string, line: RegExp, other: string][] = [
      [COSMOS, /\d+( +.* pts, *approx)/, '99999999999$1'],
      [CSMIP, /\d+( +\w+ points at)/, '99999999999$1'],
    ]
    for (const [file, line, other] of announced) {
      const bytes = withLine(file, line, other)
      const before = process.memoryUsage().arrayBuffers

      assert.throws(() => readWaveforms(bytes), /announce/)

      assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024, file)
    }
  })
})
