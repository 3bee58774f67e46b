import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertLinear } from '../../../test/_growth.ts'
import { compileLimitLine, type LimitLine } from './limit-line.ts'

const source = (...values: string[]) => ({
  startTime: null,
  endTime: null,
  thresholds: values.map((value, index) => ({ level: index + 1, value })),
})

const apart = (size: number): string =>
  Array.from({ length: size }, (_, index) => `(${4 * index},${4 * index + 2})`).join(';')

/** Each within the previous one, with its own level. */
const nested = (size: number): string[] =>
  Array.from({ length: size }, (_, index) => `(${index},${3 * size - index})`)

const levelOf = (line: LimitLine, value: number) => {
  const outcome = line.outcomeOf(value)
  return typeof outcome === 'string' ? outcome : outcome.level
}

describe('a line of thousands of intervals', () => {
  test('has the interval of every value', () => {
    const line = compileLimitLine([source(apart(5_000))], 'lowestFirst')

    const outside = Array.from({ length: 4_999 }, (_, index) => line.outcomeOf(4 * index + 3))
    assert.deepEqual(new Set(outside), new Set(['normal']))
    for (const index of [0, 1, 2_499, 4_998, 4_999]) {
      const expected = { level: 1, limit: `threshold (${4 * index},${4 * index + 2})` }
      for (const value of [4 * index, 4 * index + 1, 4 * index + 2])
        assert.deepEqual(line.outcomeOf(value), expected)
    }
  })

  test('has the most severe level where they contain each other', () => {
    const line = compileLimitLine([source(...nested(2_000))], 'highestFirst')

    assert.equal(levelOf(line, -1), 'normal')
    assert.equal(levelOf(line, 0), 1)
    assert.equal(levelOf(line, 1_000), 1_001)
    assert.equal(levelOf(line, 3_000), 2_000)
    assert.equal(levelOf(line, 5_999.5), 1)
  })

  test('keeps a margin beside each of them', () => {
    const limits = { ...source(apart(3_000)), hysteresis: { value: 0.5 } }
    const line = compileLimitLine([limits], 'lowestFirst')

    assert.equal(levelOf(line, 4 * 2_000 + 2.25), 'deadband')
    assert.equal(levelOf(line, 4 * 2_000 + 3), 'normal')
    assert.equal(levelOf(line, 4 * 2_001 - 0.25), 'deadband')
  })

  test('compiles in time proportional to the number of intervals', () => {
    assertLinear(
      {
        'intervals apart': (size) => [source(apart(size))],
        'intervals within each other': (size) => [source(...nested(size))],
        'the same interval at each level': (size) => [source(...nested(size).fill('(1,2)'))],
      },
      (sources) => compileLimitLine(sources, 'lowestFirst'),
      { size: 1_000 },
    )
  })
})
