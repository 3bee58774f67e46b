import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WINDOW_NAMES } from './_signals.ts'
import { coherentGain, noiseBandwidth, windowWeights } from './window.ts'

const close = (actual: number, expected: number, limit = 1e-12) =>
  assert.ok(Math.abs(actual - expected) <= limit, `${actual} and ${expected}`)

describe('a window', () => {
  // Of a sum of cosines the gain is a0 and the bandwidth 1 + the sum of a_k² by 2 a0², k > 0.
  for (const [name, gain, bandwidth] of [
    ['rectangular', 1, 1],
    ['hann', 0.5, 1.5],
    ['hamming', 0.54, 1 + 0.46 ** 2 / (2 * 0.54 ** 2)],
    ['flattop', 0.21557895, 3.7702464],
  ] as const)
    test(`${name} has its coherent gain and noise bandwidth, at any length`, () => {
      for (const count of [11, 64, 101, 4096]) {
        const weights = windowWeights(name, count)

        assert.equal(weights.length, count)
        close(coherentGain(weights), gain)
        close(noiseBandwidth(weights), bandwidth, 1e-7)
      }
    })

  test('is symmetric about its middle, as a period is', () => {
    for (const name of WINDOW_NAMES) {
      const weights = windowWeights(name, 40)

      for (let n = 1; n < 20; n++) close(weights[n]!, weights[40 - n]!)
      close(weights[20]!, Math.max(...weights))
    }
    close(windowWeights('hann', 40)[0]!, 0)
    close(windowWeights('hamming', 40)[0]!, 0.08)
  })

  test('of one or two points has equal weights', () => {
    for (const name of WINDOW_NAMES)
      for (const count of [1, 2])
        assert.deepEqual([...windowWeights(name, count)], Array(count).fill(1))
  })
})
