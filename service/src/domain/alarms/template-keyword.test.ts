import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { contents } from './_contents.ts'
import { splitContent } from './content-template.ts'
import { templateKeyword } from './template-keyword.ts'

const isLike = (numbers: string, pattern: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(numbers)
}

test('a keyword is found where the content has it, by template and numbers', () => {
  const cases = contents.chain((content) => {
    const part = fc
      .tuple(fc.nat(content.length), fc.nat(9))
      .map(([at, length]) => content.slice(at, at + length))
    return fc.tuple(fc.constant(content), fc.oneof(contents, part))
  })
  fc.assert(
    fc.property(cases, ([content, keyword]) => {
      fc.pre(keyword !== '')
      const { template, numbers } = splitContent(content)
      const { inWords, inNumbers, across, number } = templateKeyword(keyword)

      const patterns = across?.(template) ?? []
      const isFound =
        (inWords && template.includes(keyword)) ||
        (inNumbers && numbers.includes(keyword)) ||
        (patterns === 'content'
          ? numbers.includes(number) && content.includes(keyword)
          : patterns.some((pattern) => isLike(numbers, pattern)))

      assert.equal(isFound, content.includes(keyword))
    }),
    { numRuns: 5_000 },
  )
})

test('words, names and limits are looked for in templates alone', () => {
  const template = '应变: \u0001µε, level 2 threshold (80,+)'

  for (const keyword of ['level 2', 'sg-1043', '(80,+)', 'threshold', 'e', '7)'])
    assert.deepEqual(templateKeyword(keyword).across?.(template) ?? [], [], keyword)
})
