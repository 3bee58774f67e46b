import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { joinContent, keywordPlaces, splitContent } from './content-template.ts'

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

const LEADS = ['a: ', ': ', 'rate ', 'at ', 'for ']
const NUMBERS = ['-', '.', 'e', 'e-', '1', '12', '5', '12345678901234567890123']
const WORDS = [', level 2 (', 'm', '; ', ' ', 'x', '\u0001']
const piece = fc.constantFrom(...LEADS, ...NUMBERS, ...WORDS)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

test('a content is the same after it was split and joined', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (content) => {
      assert.equal(joinContent(splitContent(content)), content)
    }),
  )
})

test('a keyword is found where the content has it, by template and numbers', () => {
  const cases = text.chain((content) =>
    fc.tuple(
      fc.constant(content),
      fc.oneof(
        text,
        fc.tuple(fc.nat(content.length), fc.nat(9)).map(([at, n]) => content.slice(at, at + n)),
      ),
    ),
  )
  fc.assert(
    fc.property(cases, ([content, keyword]) => {
      if (keyword === '') return
      const { template, numbers } = splitContent(content)
      const { inWords, inNumbers, across, digits } = keywordPlaces(keyword)

      const isFound =
        (inWords && template.includes(keyword)) ||
        (inNumbers && numbers.includes(keyword)) ||
        (across?.(template) === true && numbers.includes(digits) && content.includes(keyword))

      assert.equal(isFound, content.includes(keyword))
    }),
    { numRuns: 5_000 },
  )
})

const TEMPLATE = '应变: \u0001µε, level 2 threshold (80,+)'

test('words, names and limits are looked for in templates alone', () => {
  for (const keyword of ['level 2', 'sg-1043', '(80,+)', 'threshold', 'e', '7)'])
    assert.equal(keywordPlaces(keyword).across?.(TEMPLATE) ?? false, false, keyword)
})
