import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findExcess } from './resource-watch.ts'

const LIMITS = { memoryMegabytes: 512, cores: 2 }

/** One sample every two seconds, of a process that takes so many cores. */
const samplesOf = (seconds: number, cores: number) =>
  Array.from({ length: seconds / 2 + 1 }, (_, at) => ({
    at: 1000 + at * 2,
    processorSeconds: at * 2 * cores,
    megabytes: 100,
  }))

describe('the limits of a process', () => {
  test('hold at once for memory', () => {
    const sample = { at: 1000, processorSeconds: 0, megabytes: 512.5 }

    assert.match(findExcess([sample], LIMITS, 30) ?? '', /more than 512 MB of memory/)
    assert.equal(findExcess([{ ...sample, megabytes: 512 }], LIMITS, 30), undefined)
  })

  test('hold for cores as a mean of half a minute', () => {
    assert.equal(findExcess(samplesOf(28, 8), LIMITS, 30), undefined)
    assert.match(findExcess(samplesOf(30, 2.1), LIMITS, 30) ?? '', /more than 2 processor cores/)
    assert.equal(findExcess(samplesOf(60, 2), LIMITS, 30), undefined)
  })

  test('need no more samples than those of half a minute', () => {
    const samples = samplesOf(600, 1)

    findExcess(samples, LIMITS, 30)

    assert.equal(samples.length, 16)
  })
})
