import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { SortedPlaces } from './sorted-places.ts'

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 0, max: 99_991_231_235_959 }),
)
/** So many that a few changes are put where they belong, in place of sorting all of them. */
const many = fc
  .tuple(fc.nat(1_500), fc.array(number, { minLength: 1, maxLength: 50 }))
  .map(([length, some]) => Array.from({ length }, (_, at) => some[(at * at) % some.length]!))

const rounds = fc.array(fc.array(fc.record({ at: fc.nat(1_600), number }), { maxLength: 8 }), {
  maxLength: 20,
})

test('places stand in the order of their numbers after any changes, ties in their own order', () => {
  fc.assert(
    fc.property(many, rounds, (first, changes) => {
      const places = new SortedPlaces()
      const expected = [...first]
      for (const [place, one] of first.entries()) places.set(place, one)

      for (const round of [[], ...changes]) {
        for (const { at, number: one } of round) {
          const place = Math.min(at, expected.length)
          places.set(place, one)
          expected[place] = one
        }
        const order = [...expected.keys()].toSorted((a, b) => expected[a]! - expected[b]!)
        assert.deepEqual([...places.inOrder()], order)
      }
    }),
    { numRuns: runs(200) },
  )
})
