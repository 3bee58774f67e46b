import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RefusedError } from '../../errors/refused-error.ts'
import { describeUnknown, QualityFlags } from './quality-flags.ts'
import { showQuality } from './quality-text.ts'

/** The flags of the US Geological Survey: approved, provisional, estimated; and two of others. */
const USGS = { A: 'good', P: 'good', e: 'uncertain: estimated', '-': 'bad', 'A:x': 'bad: revised' }

function read(text: string, settings: ConstructorParameters<typeof QualityFlags>[0]): string {
  const quality = new QualityFlags(settings).read(text)
  return 'unknown' in quality ? `unknown ${quality.unknown}` : showQuality(quality)
}

describe('a text of flags', () => {
  test('is a flag, or several of which the worst holds', () => {
    for (const [text, expected] of [
      ['A', 'good'],
      [' e ', 'uncertain: estimated'],
      ['A:e', 'uncertain: estimated'],
      ['e P', 'uncertain: estimated'],
      ['P,e;-', 'bad'],
      ['A / e', 'uncertain: estimated'],
      ['A:x', 'bad: revised'],
      [':e:', 'uncertain: estimated'],
    ] as const)
      assert.equal(read(text, { flags: USGS }), expected, text)
  })

  test('without a flag is good, unless the empty text has a quality', () => {
    assert.equal(read(' ', { flags: USGS }), 'good')
    assert.equal(read('', { flags: USGS, otherwise: 'bad' }), 'good')
    assert.equal(read('', { flags: { '': 'uncertain: not checked' } }), 'uncertain: not checked')
  })

  test('with a flag that is not named has the other quality, or none', () => {
    for (const [text, flag] of [
      ['Ice', 'Ice'],
      ['a', 'a'],
      ['E', 'E'],
      ['A:e:Ice:Eqp', 'Ice'],
      ['Ice e', 'Ice'],
      [':', ':'],
      ['toString', 'toString'],
      ['__proto__', '__proto__'],
    ] as const) {
      assert.equal(read(text, { flags: USGS }), `unknown ${flag}`)
      assert.equal(read(text, { flags: USGS, otherwise: 'bad: unknown' }), 'bad: unknown')
    }
  })

  test('of numbers is compared as text', () => {
    const qartod = { 1: 'good', 2: 'uncertain', 3: 'uncertain: suspect', 4: 'bad', 9: 'bad' }

    assert.equal(read('3', { flags: qartod }), 'uncertain: suspect')
    assert.equal(read('1.0', { flags: qartod }), 'unknown 1.0')
  })

  test('is never better than one of its flags, in any order', () => {
    const flags = { A: 'good', e: 'uncertain', '-': 'bad' }
    const some = fc.array(fc.constantFrom('A', 'e', '-'), { minLength: 1 })
    fc.assert(
      fc.property(some, fc.constantFrom(' ', ',', ':', ';', '/', ' , '), (parts, between) => {
        const worst = parts.includes('-') ? 'bad' : parts.includes('e') ? 'uncertain' : 'good'
        assert.equal(read(parts.join(between), { flags }), worst)
      }),
    )
  })

  test('that is not named is never good', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const hasNamed = text.trim() === '' || new QualityFlags({ flags: USGS }).areNamed(text)
        if (!hasNamed) assert.match(read(text, { flags: USGS }), /^unknown [^]/)
      }),
    )
  })
})

test('a text of thousands of characters is a flag that is not named', () => {
  const text = 'A '.repeat(600)

  assert.equal(read(text, { flags: USGS }), `unknown ${text}`)
  assert.equal(read(text, { flags: USGS, otherwise: 'bad' }), 'bad')
  assert.ok(!new QualityFlags({ flags: USGS }).areNamed(text))
})

test('flags that are named are told from other texts', () => {
  const flags = new QualityFlags({ flags: USGS, otherwise: 'bad' })

  for (const text of ['-', 'A:e', 'A:x', ' e ']) assert.ok(flags.areNamed(text), text)
  for (const text of ['', 'Ice', 'A:Ice', ':']) assert.ok(!flags.areNamed(text), text)
})

test('a quality that is none is refused, with its flag', () => {
  const expected = /the quality of flag "e" is "gud", expected good, uncertain or bad/
  assert.throws(() => new QualityFlags({ flags: { A: 'good', e: 'gud' } }), expected)
  assert.throws(() => new QualityFlags({ flags: {}, otherwise: 'gud' }), RefusedError)
})

test('a sentence names the flag, however long', () => {
  const sentence = describeUnknown({ unknown: 'x'.repeat(100) }, 'the mapping')

  assert.equal(sentence, `the flag "${'x'.repeat(40)}…" is not among the flags of the mapping`)
})
