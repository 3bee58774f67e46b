import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boundBytes } from './rejected-bytes.ts'

const held = (...bytes: number[]) => bytes.map((one, at) => ({ source: `s${at}`, bytes: one }))

test('nobody gives anything back within the bounds', () => {
  assert.deepEqual(boundBytes(held(10, 20), { each: 20, all: 30 }), [])
  assert.deepEqual(boundBytes(held(10, 20), {}), [])
  assert.deepEqual(boundBytes([], { each: 1, all: 1 }), [])
})

test('who has more than its bound gives back, and the others nothing', () => {
  assert.deepEqual(boundBytes(held(10, 101), { each: 100 }), [{ source: 's1', bytes: 90 }])
})

test('where all have too much, those that have most give back', () => {
  assert.deepEqual(boundBytes(held(10, 500, 600), { all: 1000 }), [
    { source: 's1', bytes: 445 },
    { source: 's2', bytes: 445 },
  ])
})

test('afterwards all bounds hold, and nobody with less than an equal share gave anything', () => {
  const sizes = fc.array(fc.nat(10_000), { maxLength: 20 })
  fc.assert(
    fc.property(sizes, fc.nat(10_000), fc.nat(50_000), (bytes, each, all) => {
      const before = held(...bytes)
      const kept = new Map(boundBytes(before, { each, all }).map((one) => [one.source, one.bytes]))
      const after = before.map((one) => kept.get(one.source) ?? one.bytes)
      assert.ok(after.every((one) => one <= each))
      assert.ok(after.reduce((sum, one) => sum + one, 0) <= all)
      const share = Math.floor(Math.floor(all * 0.9) / Math.max(1, bytes.length))
      for (const one of before)
        if (one.bytes <= share && one.bytes <= each) assert.equal(kept.has(one.source), false)
    }),
  )
})
