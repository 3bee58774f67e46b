// Own process: it measures the memory.
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

/** Records of 128 bytes, whose blockettes lead on beyond their end. */
function miniSeedOf(size: number): Uint8Array {
  const bytes = Buffer.alloc(128 * Math.ceil(size / 32))
  for (let at = 0; at < bytes.length; at += 128) {
    bytes.write('000001D ABCDE  HHZNN', at)
    bytes.writeUInt16BE(2026, at + 20)
    bytes.writeUInt16BE(1, at + 22)
    bytes.writeUInt16BE(48, at + 46)
    for (let place = 48; place < 120; place += 8) bytes.writeUInt16BE(place + 8, at + place + 2)
    bytes.writeUInt16BE(1000, at + 48)
    bytes.writeUInt8(7, at + 48 + 6)
  }
  return bytes
}

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

  test('a binary file costs no more than its length', () => {
    const sac = testFile('20190706031952.CJ.T001230.HNE.sac.gz')
    const uff = latin1('    -1\n    55\n')
    assertLinear<Uint8Array>(
      {
        'empty chunks of WAV': (size) => {
          const bytes = Buffer.alloc(12 + 8 * size)
          bytes.write('RIFF')
          bytes.writeUInt32LE(bytes.length - 8, 4)
          bytes.write('WAVE', 8)
          return bytes
        },
        'more bytes of SAC than it announces': (size) =>
          Buffer.concat([sac.subarray(0, 632), Buffer.alloc(size)]),
        'datasets of UFF that are no 58': (size) =>
          Buffer.concat([uff, Buffer.alloc(size, '    -1\n'), Buffer.alloc(size, '\n')]),
        'records of miniSEED without samples': (size) => miniSeedOf(size),
      },
      (bytes) => readWaveforms(bytes),
    )
  })

  test('a line of CSV has at most 100000 fields', () => {
    const line = Buffer.from('1,'.repeat(100_000))

    assert.throws(() => readWaveforms(line, { ...csv, format: 'CSV' }), {
      message: 'line 1: it has more than 100000 fields, expected a row of measurements',
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
