import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertLinear } from '../../../test/_growth.ts'
import { compileValueLine, IN_DEADBAND } from './value-line.ts'

const source = (...values: string[]) => ({
  startTime: null,
  endTime: null,
  thresholds: values.map((value, index) => ({ level: index + 1, value })),
})

const apart = (size: number): string =>
  Array.from({ length: size }, (_, index) => `(${4 * index},${4 * index + 2})`).join(';')

/** Each within the one before it, of a level of its own. */
const nested = (size: number): string[] =>
  Array.from({ length: size }, (_, index) => `(${index},${3 * size - index})`)

describe('a line of thousands of intervals', () => {
  test('says of every value which interval it is in', () => {
    const line = compileValueLine([source(apart(5_000))], 'lowestFirst')

    const outside = Array.from({ length: 4_999 }, (_, index) => line.codeOf(4 * index + 3))
    assert.deepEqual(new Set(outside), new Set([0]))
    for (const index of [0, 1, 2_499, 4_998, 4_999]) {
      assert.equal(line.codeOf(4 * index), index + 1)
      assert.equal(line.codeOf(4 * index + 1), index + 1)
      assert.equal(line.codeOf(4 * index + 2), index + 1)
    }
    assert.deepEqual(line.mark(5_000), { level: 1, limit: 'threshold (19996,19998)' })
  })

  test('has the worst level where they lie within each other', () => {
    const line = compileValueLine([source(...nested(2_000))], 'highestFirst')

    assert.equal(line.codeOf(-1), 0)
    assert.equal(line.codeOf(0), 1)
    assert.equal(line.codeOf(1_000), 1_001)
    assert.equal(line.codeOf(3_000), 2_000)
    assert.equal(line.codeOf(5_999.5), 1)
  })

  test('keeps a margin beside each of them', () => {
    const limits = { ...source(apart(3_000)), hysteresis: { value: 0.5 } }
    const line = compileValueLine([limits], 'lowestFirst')

    assert.equal(line.codeOf(4 * 2_000 + 2.25), IN_DEADBAND)
    assert.equal(line.codeOf(4 * 2_000 + 3), 0)
    assert.equal(line.codeOf(4 * 2_001 - 0.25), IN_DEADBAND)
  })

  test('costs no more to make than its intervals', () => {
    assertLinear(
      {
        'intervals apart': (size) => [source(apart(size))],
        'intervals within each other': (size) => [source(...nested(size))],
        'the same interval at each level': (size) => [source(...nested(size).fill('(1,2)'))],
      },
      (sources) => compileValueLine(sources, 'lowestFirst'),
      { size: 1_000 },
    )
  })
})
