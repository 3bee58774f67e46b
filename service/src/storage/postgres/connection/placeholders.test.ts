import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { numbered } from './placeholders.ts'

/** A piece of a statement, and the number of parameters in it. */
const pieces = fc.oneof(
  fc.constant({ text: ' ? ', parameters: 1 }),
  fc.constantFrom(' and a = b', ', ', '(', ')', '\n').map((text) => ({ text, parameters: 0 })),
  fc
    .array(fc.constantFrom('?', "''", 'text', '$1', ' '))
    .map((parts) => ({ text: `'${parts.join('')}'`, parameters: 0 })),
)

test('each parameter gets its number, and a text in quotes stays as it is', () => {
  fc.assert(
    fc.property(fc.array(pieces), (given) => {
      let count = 0
      const expected = given.map(({ text, parameters }) =>
        parameters === 0 ? text : ` $${++count} `,
      )

      assert.equal(numbered(given.map(({ text }) => text).join(' ')), expected.join(' '))
    }),
  )
})
