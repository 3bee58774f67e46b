import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readForm } from './read-form.ts'

test('a form is read as browsers read it', () => {
  const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 20 }), (pairs) => {
      const text = new URLSearchParams(pairs).toString()
      const expected = new Map(
        Array.from(new URLSearchParams(text), ([name, value]) => [name.trim(), value.trim()]),
      )

      assert.deepEqual(new Map(Object.entries(readForm(text))), expected)
    }),
  )
})

test('any text is read as browsers read it', () => {
  const noise = fc.string({
    unit: fc.constantFrom('a', '=', '&', '+', '%', '2', '0', 'é'),
    maxLength: 90,
  })
  fc.assert(
    fc.property(noise, (text) => {
      const expected = new Map(
        Array.from(new URLSearchParams(text), ([name, value]) => [name.trim(), value.trim()]),
      )

      assert.deepEqual(new Map(Object.entries(readForm(text))), expected)
    }),
  )
})

test('spaces around a form, its names and its values are removed', () => {
  assert.deepEqual({ ...readForm('\n a = b &c=d\r\n') }, { a: 'b', c: 'd' })
})

test('a form of more than 100 pairs is refused', () => {
  assert.equal(Object.keys(readForm('a=1&'.repeat(100))).length, 1)
  for (const text of ['a&'.repeat(101), '&'.repeat(101), 'a&'.repeat(2 ** 20)])
    assert.throws(() => readForm(text), /a form has at most 100 pairs/)
})
