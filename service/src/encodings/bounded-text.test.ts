import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boundedText } from './bounded-text.ts'

const text = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 4 }), fc.nat(400), fc.nat(3))
  .map(([part, times, more]) => part.repeat(times) + 'x'.repeat(more))

test('a short text is its own key', () => {
  for (const length of [0, 1, 499, 500])
    assert.equal(boundedText('x'.repeat(length)), 'x'.repeat(length))
  assert.notEqual(boundedText('x'.repeat(501)), 'x'.repeat(501))
})

test('no key is larger than a database takes, and different texts have different keys', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [first, second] = [boundedText(one), boundedText(other)]
      assert.ok(Buffer.byteLength(first) < 2_000)
      assert.equal(first === second, one === other)
      assert.equal(boundedText(first) === first, first === one)
    }),
  )
})
