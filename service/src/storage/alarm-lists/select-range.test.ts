import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { selectRange } from './select-range.ts'

/** Numbers of which many are alike, and of which few are far away. */
const numbers = fc
  .tuple(
    fc.integer({ min: 1, max: 9_000 }),
    fc.constantFrom(1, 3, 50, 100_000, 1e11),
    fc.nat(),
    fc.array(fc.integer({ min: -1e11, max: 1e11 }), { maxLength: 5 }),
  )
  .map(([length, span, seed, far]) => {
    let state = seed
    const near = Array.from({ length }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * span)
    })
    return Float64Array.from([...near, ...far])
  })

test('the positions of a range of ranks are those of a stable sort', () => {
  fc.assert(
    fc.property(
      numbers,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(9_000),
      (all, at, length) => {
        const first = Math.floor(at * all.length)
        const end = Math.min(first + length, all.length)

        const positions = selectRange(all, first, end)

        const sorted = Array.from(all, (_, position) => position).toSorted(
          (a, b) => all[a]! - all[b]!,
        )
        assert.deepEqual(positions, sorted.slice(first, end))
      },
    ),
    { numRuns: runs(100) },
  )
})

test('of nothing nothing is selected', () => {
  assert.deepEqual(selectRange(new Float64Array(), 0, 0), [])
  assert.deepEqual(selectRange(Float64Array.of(2, 1), 1, 1), [])
})
