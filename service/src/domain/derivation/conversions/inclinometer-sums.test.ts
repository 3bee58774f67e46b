import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sumSegments, type Segment } from './inclinometer-sums.ts'

const chain: Segment[] = [
  { name: 'I-2', depth: 2, value: 0.5 },
  { name: 'I-6', depth: 6, value: 0.125 },
  { name: 'I-4', depth: 4, value: -0.25 },
]

describe('the sums of an inclinometer', () => {
  test('go from the fixed bottom upwards, whatever the order of the stations', () => {
    // 6 m: 0.125; 4 m: 0.125 - 0.25 = -0.125; 2 m: -0.125 + 0.5 = 0.375
    assert.deepEqual(sumSegments(chain, 'bottom'), [
      { value: 0.375 },
      { value: 0.125 },
      { value: -0.125 },
    ])
  })

  test('go from the fixed top downwards', () => {
    // 2 m: 0.5; 4 m: 0.5 - 0.25 = 0.25; 6 m: 0.25 + 0.125 = 0.375
    assert.deepEqual(sumSegments(chain, 'top'), [{ value: 0.5 }, { value: 0.375 }, { value: 0.25 }])
  })

  test('are absent from a missing segment on, and whole before it', () => {
    const broken = chain.map((one) => (one.depth === 4 ? { ...one, value: undefined } : one))
    const absent = 'I-4 at depth 4 has no value to sum'

    assert.deepEqual(sumSegments(broken, 'bottom'), [{ absent }, { value: 0.125 }, { absent }])
    assert.deepEqual(sumSegments(broken, 'top'), [{ value: 0.5 }, { absent }, { absent }])
  })

  test('are absent where no order is known', () => {
    const [first, ...others] = chain
    const lost = [{ ...first!, depth: undefined }, ...others]

    for (const { absent } of sumSegments(lost, 'bottom'))
      assert.equal(absent, 'I-2 has no depth, and no sum has an order')
  })

  test('from both ends share the segment they meet at', () => {
    const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(values, (values) => {
        const segments = values.map((value, depth) => ({ name: String(depth), depth, value }))
        const total = values.reduce((sum, value) => sum + value, 0)
        const up = sumSegments(segments, 'bottom')
        const down = sumSegments(segments, 'top')
        for (const [depth, value] of values.entries())
          assert.equal(up[depth]!.value! + down[depth]!.value! - value, total)
      }),
    )
  })
})
