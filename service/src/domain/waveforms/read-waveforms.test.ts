import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WAVEFORM_FORMATS, type WaveformFormat } from '@plumbline/contract'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { assertRefusedOrRead, refusal } from './_damage.ts'
import { encodeMiniSeed } from './_miniseed.ts'
import { latin1, testFile } from './_test-files.ts'
import { readWaveforms, WAVEFORM_HEAD_BYTES, WAVEFORM_READERS } from './read-waveforms.ts'

const FILES: readonly [WaveformFormat, Uint8Array][] = [
  ['miniSEED', encodeMiniSeed({ samples: [1, 2, 3], encoding: 11 })],
  ['SAC', testFile('20190706031952.CJ.T001230.HNE.sac.gz')],
  ['UFF58', testFile('Sample_UFF58_ascii.uff.gz')],
  ['UFF58', testFile('Sample_UFF58b_bin.uff.gz')],
  ['CSMIP', testFile('CE89146.V1.gz')],
  ['CSMIP', testFile('BadHeader.V2.gz')],
  ['COSMOS', testFile('NP8040-n.1000hyfh.HNE.01.V0c.gz')],
  ['WAV', latin1('RIFF\x24\0\0\0WAVEfmt ')],
  ['CSV', latin1('time,a\n0,1\n0.1,2\n')],
  ['CSV', latin1('2026-02-01 12:00:00.25,-1.5E-3\n')],
]

describe('a file of waveforms', () => {
  test('is recognised by its first bytes, by one reader alone', () => {
    for (const [format, bytes] of FILES) {
      const head = bytes.subarray(0, WAVEFORM_HEAD_BYTES)

      const names = Object.entries(WAVEFORM_READERS)
        .filter(([, { recognises }]) => recognises(head))
        .map(([name]) => name)

      // A text of any format may be taken for CSV, which is why that comes last.
      assert.equal(names[0], format)
      assert.deepEqual(
        names.slice(1).filter((name) => name !== 'CSV'),
        [],
      )
    }
  })

  test('of no known format is refused by the names of all', () => {
    const message =
      /^the file is of no format that is known, expected one of WAV, miniSEED, UFF58, COSMOS, CSMIP, SAC, CSV$/
    for (const bytes of [
      latin1('%PDF-1.7\n'),
      latin1('PK\x03\x04 1,2\n'),
      latin1('lorem ipsum\n'),
    ]) {
      assert.throws(() => readWaveforms(bytes), refusal(message))
    }
    assert.throws(() => readWaveforms(new Uint8Array()), refusal(/^the file is empty/))
  })

  test('is read in the given format, and refused where it is not of that format', () => {
    for (const name of WAVEFORM_FORMATS) {
      for (const [format, bytes] of FILES) {
        if (format === name) continue
        const options = { format: name, csv: { sampleHz: 10, headerRow: 0 } }
        assert.throws(() => readWaveforms(bytes, options), refusal(/./), `${format} as ${name}`)
      }
    }
  })

  test('may lie anywhere in a larger buffer', () => {
    const bytes = encodeMiniSeed({ samples: [1, 2, 3], encoding: 10 })
    const shifted = new Uint8Array(bytes.length + 8)
    shifted.set(bytes, 3)

    const [found] = readWaveforms(shifted.subarray(3, 3 + bytes.length))

    assert.deepEqual([...found!.samples], [1, 2, 3])
  })

  test('of any bytes is refused or read, in any format', () => {
    const formats = fc.constantFrom(...WAVEFORM_FORMATS)
    fc.assert(
      fc.property(formats, fc.uint8Array({ maxLength: 300, size: 'max' }), (format, bytes) =>
        assertRefusedOrRead(bytes, { format, csv: { sampleHz: 1, headerRow: 0 } }),
      ),
      { numRuns: runs(3000) },
    )
  })
})
