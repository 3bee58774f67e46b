import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { contents } from './_contents.ts'
import { joinContent, splitContent } from './content-template.ts'

test('contents that differ in their measured numbers have one template', () => {
  const pairs = [
    ['应变: 301µε, level 1 threshold (300,+)', '应变: -1.5e-7µε, level 1 threshold (300,+)'],
    ['a: 5mm, level 2 rate 3.25mm/h, limit 3mm/h', 'a: 7mm, level 2 rate 10mm/h, limit 3mm/h'],
    [
      'a: 5, level 1 at 80.25% of the design value 6',
      'a: 7, level 1 at 110% of the design value 6',
    ],
    ['silent for 12 min, expected every 60 s', 'silent for 2.5 min, expected every 60 s'],
  ] as const
  for (const [one, other] of pairs)
    assert.equal(splitContent(one).template, splitContent(other).template, one)
})

test('contents of different limits have different templates', () => {
  const { template } = splitContent('a: 5, level 1 threshold (3,+)')

  assert.notEqual(splitContent('a: 5, level 2 threshold (3,+)').template, template)
  assert.notEqual(splitContent('a: 5, level 1 threshold (4,+)').template, template)
})

test('a content is the same after it was split and joined', () => {
  fc.assert(
    fc.property(fc.oneof(contents, fc.string({ unit: 'binary' })), (content) => {
      assert.equal(joinContent(splitContent(content)), content)
    }),
  )
})
