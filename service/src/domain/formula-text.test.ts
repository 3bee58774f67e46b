import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeFormula } from './formula-text.ts'

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`'=+-@＝\t\r\na1 `) }),
  fc.string({ unit: 'grapheme' }),
)

test('no escaped text begins as a formula does, and at most an apostrophe comes before it', () => {
  fc.assert(
    fc.property(text, (given) => {
      const escaped = escapeFormula(given)

      assert.doesNotMatch(escaped, /^[=+\-@\t\r\n＝＋－＠]/)
      assert.ok(escaped === given || escaped === `'${given}`)
    }),
    { numRuns: 2_000 },
  )
})

test('two texts are never escaped to one', () => {
  fc.assert(
    fc.property(text, (one) => {
      for (const other of [`'${one}`, `''${one}`])
        assert.notEqual(escapeFormula(one), escapeFormula(other))
    }),
  )
})

test('only what could be a formula is changed', () => {
  for (const plain of ['strain [µε]', "'90s", 'a=1', '', ' =1', '应变-01'])
    assert.equal(escapeFormula(plain), plain)
  assert.equal(escapeFormula('=HYPERLINK("//a")'), `'=HYPERLINK("//a")`)
  assert.equal(escapeFormula("'=1"), "''=1")
})
