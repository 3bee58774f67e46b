import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { escapeFormula } from './formula-text.ts'

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`'"=+-@＝,;|\t\r\na1 `) }),
  fc.string({ unit: 'grapheme' }),
)

test('no part of an escaped text begins as a formula does, wherever a spreadsheet splits it', () => {
  fc.assert(
    fc.property(text, (given) => {
      const escaped = escapeFormula(given)

      assert.doesNotMatch(escaped, /^[=+\-@\t\r\n＝＋－＠]/)
      for (const part of escaped.split(/[,;|\t\r\n]/).slice(1))
        assert.doesNotMatch(part, /^"*[=+\-@＝＋－＠]/)
      assert.equal(escaped.replaceAll("'", ''), given.replaceAll("'", ''))
    }),
    { numRuns: runs(2_000) },
  )
})

test('two texts are never escaped to one', () => {
  fc.assert(
    fc.property(text, (one) => {
      const others = [
        0,
        ...Array.from(one.matchAll(/[,;|\t\r\n]/g), ({ index }) => index + 1),
      ].flatMap((at) => ["'", "''"].map((more) => one.slice(0, at) + more + one.slice(at)))
      for (const other of others) assert.notEqual(escapeFormula(one), escapeFormula(other))
    }),
  )
})

test('only what could be a formula is changed', () => {
  for (const plain of [
    'strain [µε]',
    "'90s",
    'a=1',
    '',
    ' =1',
    '应变-01',
    'a; b',
    'Pier 3 - north, upper',
  ])
    assert.equal(escapeFormula(plain), plain)
  assert.equal(escapeFormula('=HYPERLINK("//a")'), `'=HYPERLINK("//a")`)
  assert.equal(escapeFormula("'=1"), "''=1")
  assert.equal(escapeFormula('SG;=1+1'), "SG;'=1+1")
  assert.equal(escapeFormula('SG\t"=1&"'), `SG\t'"=1&"`)
})
