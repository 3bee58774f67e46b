import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { Contents } from './contents.ts'

const text = fc
  .array(fc.constantFrom(...'0012379', '.', ' ', 'a', '%', '_', '\\', "'", '"', '应', '变', '🌉'), {
    maxLength: 14,
  })
  .map((letters) => letters.join(''))

const puts = fc.array(fc.record({ at: fc.nat(20), text }), { minLength: 1, maxLength: 60 })

/** Texts of which some are replaced, by the store and by a list. */
function fill(steps: readonly { at: number; text: string }[]) {
  const contents = new Contents()
  const expected: string[] = []
  for (const { at, text } of steps) {
    const number = Math.min(at, expected.length)
    contents.put(number, text)
    expected[number] = text
  }
  return { contents, expected }
}

/** Which of so many texts contain a keyword. */
function search(contents: Contents, keyword: string, size: number) {
  const marks = new Uint8Array(size).fill(1)
  contents.unmark(marks, keyword)
  return (number: number): boolean => marks[number] === 1
}

test('a keyword is found in the texts that contain it, and in no other', () => {
  fc.assert(
    fc.property(
      puts,
      fc.oneof(text, fc.constantFrom('0', '1', '12', '应变', '变', '🌉')),
      (steps, keyword) => {
        const { contents, expected } = fill(steps)

        const isFound = search(contents, keyword, expected.length)

        assert.deepEqual(
          expected.map((_, number) => isFound(number)),
          expected.map((one) => one.includes(keyword)),
        )
      },
    ),
    { numRuns: runs(2000) },
  )
})

test('every part of a text is found in it', () => {
  fc.assert(
    fc.property(puts, fc.nat(), fc.nat(14), fc.nat(14), (steps, at, from, to) => {
      const { contents, expected } = fill(steps)
      const number = at % expected.length

      const isFound = search(contents, expected[number]!.slice(from, to), expected.length)

      assert.equal(isFound(number), true)
    }),
  )
})

test('texts that grow and shrink over and over are found as they are last', () => {
  const contents = new Contents()
  const long = '7'.repeat(4000)
  for (let number = 0; number < 20; number++) contents.put(number, `text ${number}`)

  for (let round = 0; round < 1000; round++) {
    contents.put(round % 20, `${round}`)
    contents.put(round % 20, `${long} ${round}`)
  }

  const found = (keyword: string) => {
    const isFound = search(contents, keyword, 20)
    return Array.from({ length: 20 }, (_, at) => at).filter(isFound)
  }
  assert.deepEqual(found('7 985'), [5])
  assert.deepEqual(found('7 965'), [])
  assert.deepEqual(found('text'), [])
  assert.equal(found(long).length, 20)
})
