import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { momentOf, shorten, show } from './show.ts'

const LENGTH = 60

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

describe('a value in a sentence', () => {
  test('is its JSON, cut after 60 characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify(value)
        const cut = text.slice(0, LENGTH).replace(/[\ud800-\udbff]$/, '')
        assert.equal(show(value), text.length > LENGTH ? `${cut}…` : text)
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('of undefined is "nothing"', () => {
    assert.equal(show(undefined), 'nothing')
  })

  test('may be of any depth, length and width', () => {
    for (const value of [
      nested(5_000),
      'x'.repeat(1e6),
      Array(1e6).fill(0),
      { ['k'.repeat(1e6)]: 1 },
    ])
      assert.equal(show(value).length, LENGTH + 1)
  })
})

test('a text longer than the limit is cut, and no other', () => {
  assert.equal(shorten('x'.repeat(60)), 'x'.repeat(60))
  assert.equal(shorten('x'.repeat(61)), `${'x'.repeat(60)}…`)
  assert.equal(shorten('abc', 2), 'ab…')
})

test('no half of a character is left, so that strict readers of JSON accept the sentence', () => {
  assert.equal(shorten('a🌉b', 2), 'a…')
  assert.equal(shorten('a🌉b', 3), 'a🌉…')
  assert.equal(shorten('a\ud83cb'), 'a\u{fffd}b')
  assert.equal(show('🌉'.repeat(40)), `"${'🌉'.repeat(29)}…`)
})

test('a moment has the offset of this machine, and reads as the same moment', () => {
  const zone = process.env['TZ']
  try {
    for (const [TZ, text] of [
      ['Asia/Kolkata', '2026-03-01T17:30:00.250+05:30'],
      ['America/St_Johns', '2026-03-01T08:30:00.250-03:30'],
      ['UTC', '2026-03-01T12:00:00.250+00:00'],
    ] as const) {
      process.env['TZ'] = TZ
      assert.equal(momentOf(Date.UTC(2026, 2, 1, 12, 0, 0, 250)), text)
      assert.equal(Date.parse(text), Date.UTC(2026, 2, 1, 12, 0, 0, 250))
    }
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})
