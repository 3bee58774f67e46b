import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sine } from './_signals.ts'
import { segmentStep, defaultSegment } from './segments.ts'
import { spectrogram } from './spectrogram.ts'

describe('a spectrogram', () => {
  test('follows a sine that changes, segment by segment', () => {
    const samples = new Float64Array(2_000)
    samples.set(sine(1_000, 2, 100), 0)
    samples.set(sine(1_000, 3, 250), 1_000)

    const cut = { window: 'hann', segment: 200, overlap: 0.5 } as const
    const { times, lines, stepHz, amplitudes } = spectrogram(samples, 50, cut)

    assert.deepEqual([times.length, lines, stepHz], [19, 101, 0.25])
    assert.equal(amplitudes.length, 19 * 101)
    assert.deepEqual([times[0], times[1]], [1.99, 3.99])
    for (const [row, bin, amplitude] of [
      [0, 20, 2],
      [8, 20, 2],
      [10, 50, 3],
      [18, 50, 3],
    ] as const) {
      const line = amplitudes.subarray(row * lines, (row + 1) * lines)
      assert.ok(Math.abs(line[bin]! - amplitude) < 1e-12)
      assert.equal(line.indexOf(Math.max(...line)), bin)
    }
  })

  test('of few samples is one segment', () => {
    const cut = { window: 'hann', segment: 512, overlap: 0.9 } as const
    const { times, lines } = spectrogram(sine(7, 1, 2), 1, cut)

    assert.deepEqual([[...times], lines], [[3], 4])
  })
})

describe('segments', () => {
  test('advance by at least one sample, and their default length is a power of two', () => {
    assert.deepEqual([segmentStep(100, 0.5), segmentStep(10, 0.99), segmentStep(1, 0)], [50, 1, 1])
    assert.deepEqual([1, 63, 64, 12_800, 1_000_000].map(defaultSegment), [1, 63, 16, 2048, 131_072])
  })
})
