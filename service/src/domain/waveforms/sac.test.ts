import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { testFile } from './_test-files.ts'
import { readWaveforms } from './read-waveforms.ts'

type Header = { word: number; value: number; isSingle?: boolean }

/** A SAC file of 100 Hz; `header` overrides words. */
function encodeSac(samples: readonly number[], little = true, header: Header[] = []): Uint8Array {
  const bytes = new Uint8Array(632 + 4 * samples.length)
  const view = new DataView(bytes.buffer)
  for (let word = 0; word < 70; word++) view.setFloat32(4 * word, -12345, little)
  for (let word = 70; word < 110; word++) view.setInt32(4 * word, -12345, little)
  for (let at = 440; at < 632; at++) bytes[at] = '-12345  '.charCodeAt((at - 440) % 8)
  const words: Header[] = [
    { word: 0, value: 0.01, isSingle: true },
    { word: 76, value: 6 },
    { word: 79, value: samples.length },
    { word: 85, value: 1 },
    { word: 105, value: 1 },
    ...header,
  ]
  for (const { word, value, isSingle } of words) {
    if (isSingle) view.setFloat32(4 * word, value, little)
    else view.setInt32(4 * word, value, little)
  }
  samples.forEach((sample, at) => view.setFloat32(632 + 4 * at, sample, little))
  return bytes
}

const file = (...header: Header[]): Uint8Array => encodeSac([1, 2, 3], true, header)

const time = [2026, 365, 23, 59, 58, 750].map((value, at) => ({ word: 70 + at, value }))
const single = fc.float({ noNaN: true, noDefaultInfinity: true })

describe('SAC', () => {
  test('a real file is read whole', () => {
    const [found, ...others] = readWaveforms(testFile('20190706031952.CJ.T001230.HNE.sac.gz'))

    assert.equal(others.length, 0)
    assert.equal(found?.channel, 'CJ.T001230..HNE')
    assert.deepEqual(found.start, { milliseconds: Date.UTC(2019, 6, 6, 3, 19, 52), nanoseconds: 0 })
    assert.equal(found.sampleHz, 50)
    assert.equal(found.samples.length, 15_001)
    // DEPMIN, DEPMAX and DEPMEN of the header.
    const { samples } = found
    const view = new DataView(testFile('20190706031952.CJ.T001230.HNE.sac.gz').buffer)
    assert.equal(Math.min(...samples), view.getFloat32(4, true))
    assert.equal(Math.max(...samples), view.getFloat32(8, true))
    const mean = (samples as Float32Array).reduce((sum, sample) => sum + sample, 0) / 15_001
    assert.ok(Math.abs(mean - view.getFloat32(56 * 4, true)) < 1e-6, String(mean))
  })

  test('gives back any samples, in either byte order', () => {
    fc.assert(
      fc.property(fc.array(single, { minLength: 1 }), fc.boolean(), (samples, little) => {
        const [found] = readWaveforms(encodeSac(samples, little))

        assert.deepEqual([...found!.samples], samples)
        assert.equal(found!.sampleHz, 100)
      }),
    )
  })

  test('starts at the reference time and what it begins after it, to the microsecond', () => {
    for (const [begin, milliseconds, nanoseconds] of [
      [0, 0, 0],
      [0.001234, 1, 234_000],
      [-2.5, -2500, 0],
      [1.25, 1250, 0],
      [12_345.678, 12_345_678, 0],
    ] as const) {
      const header = [...time, { word: 5, value: begin, isSingle: true }]

      const [found] = readWaveforms(encodeSac([1, 2], false, header))

      const start = Date.UTC(2026, 11, 31, 23, 59, 58, 750) + milliseconds
      assert.deepEqual(found!.start, { milliseconds: start, nanoseconds })
    }
  })

  test('has no start, no channel and no unit where the header has none', () => {
    const [found] = readWaveforms(encodeSac([1]))

    assert.deepEqual([found!.start, found!.channel, found!.unit], [undefined, '', ''])
  })

  test('is refused where its header cannot be true', () => {
    for (const [bytes, message] of [
      [file({ word: 76, value: 7 }), /^byte 304: header version is 7, expected 6/],
      [file({ word: 85, value: 2 }), /^byte 340: file type is 2, expected 1/],
      [file({ word: 105, value: 0 }), /^byte 420: LEVEN is 0, expected 1/],
      [file({ word: 79, value: 2 ** 31 - 1 }), /announces 2147483647 points in a file of 644/],
      [file({ word: 79, value: 2 }), /2 points in a file of 644 bytes, expected 640/],
      [file({ word: 79, value: -1 }), /-1 points .+ expected at least 1/],
      [file({ word: 0, value: 0, isSingle: true }), /^byte 0: sample rate is Infinity Hz/],
      [file({ word: 0, value: -1, isSingle: true }), /^byte 0: sample rate is -1 Hz/],
      [file({ word: 0, value: NaN, isSingle: true }), /^byte 0: sample rate is NaN Hz/],
      [file({ word: 0, value: 1e-8, isSingle: true }), /at most 10000000/],
      [file(...time, { word: 71, value: 366 }, { word: 5, value: 0, isSingle: true }), /2026 366/],
      [encodeSac([1, NaN]), /^byte 632: sample 2 is NaN/],
      [encodeSac([1]).subarray(0, 600), /has 600 bytes, expected a header of 632/],
    ] as const) {
      assert.throws(() => readWaveforms(bytes, { format: 'SAC' }), refusal(message))
    }
  })

  test('damaged anywhere is refused or read', () => {
    const whole = encodeSac([1, 2, 3, 4, 5], true, time)
    assertDamageIsRefusedOrRead(whole, { format: 'SAC' }, { runs: 1500 })
  })
})
